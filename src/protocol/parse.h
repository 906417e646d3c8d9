#pragma once
#include <string_view>

#include "base/result.h"
#include "protocol/parsed.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {

/// A message as it was sent. Any bytes will do.
struct RawMessage {
  std::string_view subject;
  std::string_view body;
  /// Where somebody says what it is; it beats the subject. A mail's own type ("task", "reply" …) says nothing here.
  std::string_view type = {};
};

enum class Strictness {
  lenient,  ///< missing fields are empty, an unknown type is UNKNOWN, nothing is wrong
  strict,   ///< the same result, and every problem with it
};

enum class Compat {
  none,
  agentops,  ///< the type is a part of the subject, as in the parser of agentops
};

struct ParseOptions {
  Strictness strictness = Strictness::lenient;
  Compat compat = Compat::none;
};

/// Reads a message in time linear to its length. Never fails: bytes that are no UTF-8 are replaced, what cannot be
/// understood is left out. `registry` must outlive the result.
Parsed parse(const TypeRegistry& registry, const RawMessage& letter, ParseOptions options = {});

}  // namespace townpost::protocol
