#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocol/parsed.h"
#include "protocol/type_registry.h"

namespace townpost::protocol {

/// A message ready to be sent. A type that no subject names (`Dialect::directory`) must be sent along with it.
struct Built {
  std::string type;
  std::string subject;
  std::string body;
  std::vector<Problem> problems;  ///< what strict mode would say: required fields that were not given
};

/// Writes a message of that type so that parse() reads the same fields again. `fields` has JSON keys (or labels), and
/// `topic` and `text`; empty values are as good as none. Numbers, flags and lists may also be given as text ("85%",
/// "PASS", "a, b"). The type's own topic and text stand in where none is given.
/// Error: not_found for the type; usage for fields it does not have, values that are not of their kind, and whatever
/// would not survive (a line break in a one-line field, a comma in an item, "##" at a line start of a section …): all
/// of them at once, each by name.
Result<Built> build(const TypeRegistry& registry, std::string_view type, const JsonObject& fields);

}  // namespace townpost::protocol
