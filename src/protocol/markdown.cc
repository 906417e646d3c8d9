#include "protocol/markdown.h"

#include "base/json.h"
#include "base/text.h"

namespace townpost::protocol {

namespace {

/// Text of a table's cell: it cannot end the cell, the row or a code span.
std::string cell(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '|') out += '\\';
    out += byte == '\n' ? ' ' : byte == '`' ? '\'' : byte;
  }
  return out;
}

std::string code(std::string_view text) { return cat('`', cell(text), '`'); }

std::string_view heading(Dialect dialect) {
  switch (dialect) {
    case Dialect::gas_town:
      return "Gas Town";
    case Dialect::agent_mail:
      return "Agent Mail";
    case Dialect::directory:
      return "Directory";
    case Dialect::own:
      return "Of this town";
  }
  return {};
}

std::string describe(const Field& field) {
  std::string out = code(field.is_section() ? cat("## ", field.label) : cat(field.label, ":"));
  if (field.need == Need::always) out += "\\*";
  if (field.key != snake_case(field.label)) out += cat(" → ", code(field.key));
  std::string detail;
  const auto add = [&detail](std::string_view text) { detail += cat(detail.empty() ? "" : ", ", text); };
  if (!field.fixed.empty()) {
    add(cat("always ", code(field.fixed)));
  } else if (field.kind == Kind::enumeration) {
    add(code(field.values));
  } else if (field.kind != Kind::text && field.kind != Kind::section) {
    add(name(field.kind));
  }
  if (field.in_section()) add(cat("in ", code(cat("## ", field.section))));
  if (field.place == Place::head) add("before the first section");
  if (field.need == Need::when) add(cat("required if ", code(cat(field.when_key, " = ", field.when_value))));
  return detail.empty() ? out : cat(out, " (", detail, ")");
}

/// As a list, so that one can see where a word ends.
std::string command_line(const ProtocolType& type) {
  JsonArray words;
  for (const std::string& word : type.command) words.emplace_back(word);
  return to_line(words);
}

std::string notes(const ProtocolType& type) {
  std::string out;
  const auto add = [&out](std::string_view text) { out += cat(out.empty() ? "" : ", ", text); };
  if (type.ack) add("acknowledgement required");
  if (type.transient) add("transient");
  if (type.nudge) add("travels as a nudge");
  if (type.needs_answer) add("needs an answer");
  if (type.answers) add("answers");
  if (type.is_completion()) add(type.outcome == Outcome::success ? "completion, success" : "completion");
  if (!type.handler.empty()) add(cat("handled by ", code(type.handler)));
  if (!type.command.empty()) add(cat("handled by ", code(command_line(type))));
  return out;
}

std::string row(const ProtocolType& type) {
  std::string fields;
  for (const Field& field : type.fields) fields += cat(fields.empty() ? "" : ", ", describe(field));
  if (fields.empty()) fields = "free";
  return cat("| ", code(type.name), " | ", cell(type.summary), " | ", code(type.subject), " | ", cell(type.sender),
             " → ", cell(type.receiver), " | ", fields, " | ", notes(type), " |\n");
}

}  // namespace

std::string registry_markdown(const TypeRegistry& registry) {
  std::string out;
  for (const Dialect dialect : {Dialect::gas_town, Dialect::agent_mail, Dialect::directory, Dialect::own}) {
    std::string rows;
    for (const ProtocolType* type : registry.types())
      if (type->dialect == dialect) rows += row(*type);
    if (rows.empty()) continue;
    out += cat(out.empty() ? "" : "\n", "### ", heading(dialect),
               "\n\n| type | meaning | subject | route | fields (\\* required) | |\n|---|---|---|---|---|---|\n", rows);
  }
  return out;
}

}  // namespace townpost::protocol
