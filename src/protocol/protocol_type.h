#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace townpost::protocol {

/// Whose types these are. It decides whether keys in a body count exactly (agent_mail) or without case (the others).
enum class Dialect { gas_town, agent_mail, directory, own };

/// What a field's value is. A section is text of any number of lines; text, enumeration and instant are one line.
enum class Kind { text, enumeration, integer, percent, list, instant, section, flag };

enum class Need {
  optional,
  always,
  when,  ///< if another field has a certain value
};

/// Where in a body a field is looked for.
enum class Place {
  anywhere,
  head,     ///< before the first "## " line
  inside,   ///< inside one section: "Key: value"
  bullet,   ///< the same, and written as "- Key: value"
  section,  ///< it is a section: "## Label" and the lines below
};

enum class Outcome { none, success, failure };

/// One field of a message type. The views are of static data or of the registry that holds the type.
struct Field {
  std::string_view label;  ///< the key in the body, or the name of the section
  std::string_view key;    ///< the name in JSON
  Kind kind = Kind::text;
  Need need = Need::optional;
  Place place = Place::anywhere;
  std::string_view section;     ///< for `inside` and `bullet`
  std::string_view values;      ///< of an enumeration, "a|b|c"; of a flag, its words for yes and no: "true|false"
  std::string_view when_key;    ///< for Need::when: the other field …
  std::string_view when_value;  ///< … and the value that asks for this one; of a flag "true" or "false"
  std::string_view alias;       ///< another label for the same field
  std::string_view fixed;       ///< the value it always has, whatever the body says
  bool ascii = true;            ///< label and section are ASCII, as those of every built-in type are

  bool in_section() const { return place == Place::inside || place == Place::bullet; }
  bool is_section() const { return place == Place::section; }
};

/// One kind of message: what its subject looks like, who writes it to whom, and what its body holds.
struct ProtocolType {
  std::string_view name;
  Dialect dialect = Dialect::own;
  std::string_view summary;
  /// "HELP: <text>", "[<bead_id>] DONE". Where no token of it is the name, only an explicit type field names the type.
  std::string_view subject;
  std::string_view sender;    ///< role, "any" or "self"
  std::string_view receiver;  ///< likewise
  std::span<const Field> fields;
  bool ack = false;                 ///< whether an acknowledgement is asked for, unless the sender says otherwise
  bool transient = false;           ///< only the last one per (thread, sender, recipient) stays in the inbox
  bool nudge = false;               ///< travels as a nudge: mailing it, or a reply to it, deserves a hint
  bool needs_answer = false;        ///< somebody waits for an answer: HELP, HELP_REQUEST
  bool answers = false;             ///< it answers or confirms another message: HELP_RESPONSE, SPAWN_ACK
  Outcome outcome = Outcome::none;  ///< a completion, and whether it is a success
  std::string_view handler;         ///< what acts on it, of a built-in type: "witness.rework"
  /// What acts on it, of a type of one's own: a program and its arguments. Kept and shown here, run by nobody here.
  std::span<const std::string> command;
  std::string_view topic_from;  ///< the field that is the topic where none is given
  std::string_view lead;        ///< a paragraph written before the fields
  std::string_view text;        ///< the text where none is given; "<key>" stands for that field

  bool named_by_subject() const { return dialect != Dialect::directory; }
  bool is_completion() const { return outcome != Outcome::none; }
  /// The field with this JSON key, or nullptr.
  const Field* field(std::string_view key) const;
};

/// The stable words of JSON and of definitions: "gas_town", "enum", …
std::string_view name(Dialect dialect);
std::string_view name(Kind kind);

/// "Failure-Type" → "failure_type": the JSON key of a label.
std::string snake_case(std::string_view label);

/// The words of Field::values.
std::vector<std::string_view> words_of(std::string_view values);

/// The word of "a|b|c" that is `text` without case, or nothing (an empty view).
std::string_view word_in(std::string_view values, std::string_view text);

bool equal_ascii_case(std::string_view a, std::string_view b);

/// Equal without case. `declared` is a name of ours; only if it goes beyond ASCII do other scripts' cases count, so no
/// other letter (such as K, the Kelvin sign) ever stands for one of ASCII.
bool same_name(std::string_view declared, std::string_view text);

}  // namespace townpost::protocol
