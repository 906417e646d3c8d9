#pragma once
#include <string>
#include <string_view>

#include "protocol/protocol_type.h"

namespace townpost::protocol {

class TypeRegistry;

/// What a subject says. All views are of the subject.
struct Subject {
  const ProtocolType* type = nullptr;  ///< nullptr: it names none
  std::string_view topic;              ///< what follows the type; nothing where there is none
  std::string_view bracket_id;         ///< the first "[id]" that looks like one
  std::string_view prefix_id;          ///< the first "id:" that looks like one

  /// Brackets before the prefix, wherever they stand.
  std::string_view id() const { return bracket_id.empty() ? prefix_id : bracket_id; }
};

/// Strips, as often as they come, white space, "Re:", "Fwd:", emoji, "[…]" and "token:" that is no type. The next token
/// names the type in upper case; in another case only behind a stripped id, before a colon, or as the whole subject.
Subject read_subject(const TypeRegistry& registry, std::string_view subject);

/// As the parser of agentops did it: the first of its ten types, in its order, that stands anywhere in the subject, in
/// any case. `DONE` is found in "Abandoned"; this is for those who depend on it.
Subject read_subject_like_agentops(const TypeRegistry& registry, std::string_view subject);

/// letters/digits - letters/digits/dots, as before a colon.
bool looks_like_prefix_id(std::string_view text);
/// The same with any number of hyphens, as in brackets.
bool looks_like_bracket_id(std::string_view text);

/// The part of the type's subject before the topic, without the id: "HELP: ", "🤝 HANDOFF: ", "DONE ", "".
std::string subject_head(const ProtocolType& type);

/// "[id] HEAD topic"; each of the two may be empty. An id that brackets cannot hold is left out.
std::string write_subject(const ProtocolType& type, std::string_view id, std::string_view topic);

}  // namespace townpost::protocol
