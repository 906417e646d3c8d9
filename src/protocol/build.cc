#include "protocol/build.h"

#include <algorithm>

#include "base/text.h"
#include "protocol/build_input.h"
#include "protocol/parse.h"
#include "protocol/subject.h"

namespace townpost::protocol {

namespace {

std::string one_line(const Field& field, const Json& value) {
  if (const auto* flag = value.if_bool()) {
    const auto words = words_of(field.values);
    return std::string(words[*flag ? 0 : 1]);
  }
  if (const auto* number = value.if_int64()) return cat(*number, field.kind == Kind::percent ? "%" : "");
  if (const auto* items = value.if_array()) {
    std::string out;
    for (const Json& item : *items) out += cat(out.empty() ? "" : ", ", std::string_view(item.get_string()));
    return out;
  }
  return std::string(std::string_view(value.get_string()));
}

std::string section_text(const Json& value) {
  const auto* items = value.if_array();
  if (items == nullptr) return std::string(std::string_view(value.get_string()));
  std::string out;
  for (const Json& item : *items) out += cat(out.empty() ? "- " : "\n- ", std::string_view(item.get_string()));
  return out;
}

class BodyWriter {
 public:
  BodyWriter(const ProtocolType& type, const BuildInput& input) : type_(type), input_(input) {}

  std::string write() {
    const std::string head = lines([](const Field& field) { return !field.is_section() && !field.in_section(); });
    // Without a field between them, nobody could tell the lead from the text.
    if (!head.empty()) paragraph(type_.lead);
    paragraph(head);
    paragraph(input_.text);
    std::vector<std::string_view> written;
    for (const Field& field : type_.fields) {
      if (!input_.fields.contains(field.key)) continue;
      if (field.is_section()) {
        paragraph(cat("## ", field.label, "\n", section_text(input_.fields.at(field.key))));
      } else if (field.in_section() && std::find(written.begin(), written.end(), field.section) == written.end()) {
        written.push_back(field.section);
        paragraph(cat("## ", field.section, "\n", lines([&field](const Field& other) {
                        return other.in_section() && other.section == field.section;
                      })));
      }
    }
    return std::move(body_);
  }

 private:
  void paragraph(std::string_view text) {
    if (text.empty()) return;
    if (!body_.empty()) body_ += "\n\n";
    body_ += text;
  }

  template <class Which>
  std::string lines(Which which) const {
    std::string out;
    for (const Field& field : type_.fields) {
      const auto* value = input_.fields.if_contains(field.key);
      if (value == nullptr || !which(field)) continue;
      out += cat(out.empty() ? "" : "\n", field.place == Place::bullet ? "- " : "", field.label, ": ",
                 one_line(field, *value));
    }
    return out;
  }

  const ProtocolType& type_;
  const BuildInput& input_;
  std::string body_;
};

std::string_view id_of(const BuildInput& input) {
  const auto* id = input.fields.if_contains("bead_id");
  return id ? std::string_view(id->get_string()) : std::string_view();
}

/// What of the input the parser does not give back as it was, by name.
std::vector<std::string> lost(const ProtocolType& type, const BuildInput& input, const Parsed& parsed) {
  std::vector<std::string> out;
  if (parsed.type() != &type) return {cat("topic: with it the subject would name ", parsed.type_name())};
  const JsonObject read = parsed.fields();
  for (const Field& field : type.fields) {
    const auto* meant = input.fields.if_contains(field.key);
    const auto* found = read.if_contains(field.key);
    if (meant == nullptr && found != nullptr)
      out.push_back(cat(field.key, ": it is not given, but a line of the text would be read as it"));
    else if (meant != nullptr && (found == nullptr || *found != *meant))
      out.push_back(cat(field.key, ": it would not survive"));
  }
  if (parsed.topic() != input.topic) out.emplace_back("topic: it would not survive in a subject");
  if (parsed.text() != input.text)
    out.emplace_back("text: it would not survive; a line of it looks like a field or section");
  return out;
}

Failure refuse(const ProtocolType& type, const std::vector<std::string>& faults) {
  return fail(Code::usage, cat("cannot build ", type.name, ": ", join(faults, "; ")),
              "long output goes into the text, behind the fields");
}

}  // namespace

Result<Built> build(const TypeRegistry& registry, std::string_view type_name, const JsonObject& fields) {
  const ProtocolType* type = registry.find(type_name);
  if (type == nullptr) {
    std::vector<std::string> known;
    for (const ProtocolType* each : registry.types()) known.emplace_back(each->name);
    const auto meant = nearest(type_name, known);
    return fail(
        Code::not_found, cat("there is no message type \"", for_terminal_line(shorten(to_utf8(type_name), 60)), "\""),
        meant.empty() ? next("protocol.types", {}, " lists them") : cat("did you mean ", join(meant, ", "), "?"));
  }
  BuildInput input = input_of(*type, fields);
  if (!input.faults.empty()) return refuse(*type, input.faults);
  complete(*type, input);
  Built built{
      std::string(type->name), write_subject(*type, id_of(input), input.topic), BodyWriter(*type, input).write(), {}};
  // Only the parser knows for sure what the parser reads.
  const Parsed parsed =
      parse(registry, {built.subject, built.body, type->named_by_subject() ? std::string_view() : type->name},
            {.strictness = Strictness::strict});
  if (const auto faults = lost(*type, input, parsed); !faults.empty()) return refuse(*type, faults);
  built.problems = parsed.problems();
  return built;
}

}  // namespace townpost::protocol
