#include <algorithm>
#include <array>

#include "base/text.h"
#include "protocol/definition.h"

namespace townpost::protocol {

namespace {

constexpr std::size_t kLongestLabel = 64;

/// A key of a body or the name of a section: nothing that a line could be taken for something else by.
bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kLongestLabel || trim(label) != label) return false;
  if (label[0] == '#' || label.starts_with("- ") || label.starts_with("* ")) return false;
  return std::none_of(label.begin(), label.end(),
                      [](char byte) { return byte == ':' || static_cast<unsigned char>(byte) < 0x20; });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= kLongestLabel && key != "topic" && key != "text" &&
         std::all_of(key.begin(), key.end(), [](char byte) {
           return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
                  static_cast<unsigned char>(byte) >= 0x80;
         });
}

Result<> set_kind(std::string_view word, Field& field, std::deque<std::string>& words) {
  if (word.find('|') != std::string_view::npos) {
    field.kind = Kind::enumeration;
    std::string& values = words.emplace_back();
    for (const auto part : split(word, '|')) {
      const std::string_view value = trim(part);
      if (value.empty()) return fail(Code::usage, "a value is missing beside a |");
      if (!word_in(values, value).empty()) return fail(Code::usage, cat("the value ", value, " is there twice"));
      if (!values.empty()) values += '|';
      values += value;
    }
    field.values = values;
    return {};
  }
  if (word == "list section") {
    field.kind = Kind::list;
    field.place = Place::section;
    return {};
  }
  for (const Kind kind :
       {Kind::text, Kind::integer, Kind::percent, Kind::list, Kind::instant, Kind::section, Kind::flag})
    if (word == name(kind)) {
      field.kind = kind;
      if (kind == Kind::section) field.place = Place::section;
      if (kind == Kind::flag) field.values = "true|false";
      return {};
    }
  return fail(Code::usage,
              cat("\"", for_terminal_line(shorten(word, 40)),
                  "\" is not a kind; there are text, integer, percent, list, instant, section, list section, "
                  "flag, and values like ok|failed"));
}

Result<> set_modifier(std::string_view part, Field& field) {
  const auto behind = [part](std::string_view word) { return trim(part.substr(word.size())); };
  if (part == "required") {
    field.need = Need::always;
  } else if (part.starts_with("required if ")) {
    const std::string_view condition = behind("required if ");
    const std::size_t equals = condition.find('=');
    if (equals == std::string_view::npos) return fail(Code::usage, "write a condition like: required if Exit = MERGED");
    field.need = Need::when;
    field.when_key = trim(condition.substr(0, equals));
    field.when_value = trim(condition.substr(equals + 1));
  } else if (part.starts_with("in ")) {
    if (field.is_section()) return fail(Code::usage, "a section cannot be in another");
    field.place = Place::bullet;
    field.section = behind("in ");
    if (!is_label(field.section)) return fail(Code::usage, "that cannot be the name of a section");
  } else if (part.starts_with("as ")) {
    field.key = behind("as ");
  } else {
    return fail(Code::usage, cat("\"", for_terminal_line(shorten(part, 40)),
                                 "\" is none of: required, required if FIELD = VALUE, in SECTION, as KEY"));
  }
  return {};
}

bool same_label(const Field& a, const Field& b, Dialect dialect) {
  if (a.is_section() != b.is_section()) return false;
  if (!a.is_section() && a.in_section() && b.in_section() && !same_name(a.section, b.section)) return false;
  return dialect == Dialect::agent_mail && !a.is_section() ? a.label == b.label : same_name(a.label, b.label);
}

/// The keys that ids are taken from.
bool is_id(const Field& field) {
  return field.key == "bead_id" || field.key == "issue_id" || field.key == "rig" || field.key == "polecat";
}

/// Ids are read from their own lines only: a town cannot make anything else one. Empty: the field may have its key.
std::string id_fault(const Field& field) {
  if (is_id(field) && (field.kind != Kind::text || field.is_section()))
    return cat(field.key, " is an id, so it must be a text");
  if (field.key == "bead_id" && field.label != "Bead" && field.label != "Accepted bead")
    return "only the field Bead or Accepted bead can have the JSON key bead_id";
  if (field.key == "issue_id" && field.label != "Issue") return "only the field Issue can have the JSON key issue_id";
  if ((field.key == "bead_id" || field.key == "issue_id") && field.in_section())
    return cat(field.key, " is looked for everywhere in a body, so it cannot be in a section");
  return {};
}

/// A condition names its field by label or key; from here on it is the key, and the value as the field spells it.
Result<> resolve_condition(Field& field, const std::vector<Field>& fields) {
  for (const Field& other : fields) {
    if (other.key == field.key || (other.key != field.when_key && !same_name(other.label, field.when_key))) continue;
    field.when_key = other.key;
    if (other.kind == Kind::enumeration) field.when_value = word_in(other.values, field.when_value);
    if (other.kind == Kind::flag) field.when_value = word_in("true|false", field.when_value);
    if (field.when_value.empty()) return fail(Code::usage, cat(other.label, " never has that value"));
    if (other.kind != Kind::enumeration && other.kind != Kind::flag)
      return fail(Code::usage, cat(other.label, " is neither a flag nor one of several values"));
    return {};
  }
  return fail(Code::usage, cat("there is no field ", for_terminal_line(shorten(field.when_key, 40))));
}

}  // namespace

Result<Field> define_field(std::string_view label, std::string_view declaration, std::deque<std::string>& words) {
  const auto about = [label](const Error& error) {
    return fail(Code::usage, cat("the field ", for_terminal_line(shorten(label, 40)), ": ", error.message));
  };
  Field field{.label = label};
  if (!is_label(label))
    return about(
        {Code::usage, "its name must be one line without a colon, at most 64 bytes, and begin with no #", {}, {}});
  bool first = true;
  for (const auto part : split(declaration, ',')) {
    auto done = first ? set_kind(trim(part), field, words) : set_modifier(trim(part), field);
    if (!done) return about(done.error());
    first = false;
  }
  field.ascii = is_ascii(label) && is_ascii(field.section);
  if (field.key.empty()) field.key = words.emplace_back(snake_case(label));
  if (!is_key(field.key))
    return about(
        {Code::usage, "its JSON key must be of a-z 0-9 _ and not be topic or text: say which with \"as KEY\"", {}, {}});
  return field;
}

Result<> check_fields(std::vector<Field>& fields, Dialect dialect) {
  for (std::size_t at = 0; at < fields.size(); ++at) {
    Field& field = fields[at];
    for (std::size_t other = 0; other < at; ++other) {
      if (fields[other].key == field.key) return fail(Code::usage, cat("two fields have the JSON key ", field.key));
      if (same_label(fields[other], field, dialect))
        return fail(Code::usage, cat("two fields are called ", field.label));
    }
    if (field.in_section() && std::any_of(fields.begin(), fields.end(), [&field](const Field& other) {
          return other.is_section() && same_name(other.label, field.section);
        }))
      return fail(Code::usage, cat(field.section, " is a field itself, so none can be in it"));
    if (auto fault = id_fault(field); !fault.empty()) return fail(Code::usage, std::move(fault));
    if (field.need != Need::when) continue;
    if (auto done = resolve_condition(field, fields); !done)
      return fail(Code::usage, cat("the field ", field.label, " is required if …: ", done.error().message));
  }
  return {};
}

}  // namespace townpost::protocol
