#include "ops/schema.h"

#include <array>

#include "base/json_fields.h"
#include "ops/shapes.h"

namespace townpost {

namespace {

JsonObject texts(std::string_view pattern) {
  JsonObject out;
  out["type"] = "string";
  if (!pattern.empty()) out["pattern"] = key_of(pattern);
  return out;
}

JsonObject texts_up_to(std::int64_t most) {
  JsonObject out = texts("");
  out["minLength"] = 1;
  out["maxLength"] = most;
  return out;
}

JsonArray words(const std::vector<std::string_view>& of) {
  JsonArray out;
  for (const auto word : of) out.emplace_back(key_of(word));
  return out;
}

/// A level as a number, as the same in a text, or as a word.
JsonArray priorities() {
  JsonArray out;
  for (int level = 0; level <= static_cast<int>(last_value(Priority{})); ++level) out.emplace_back(level);
  for (int level = 0; level <= static_cast<int>(last_value(Priority{})); ++level)
    out.emplace_back(std::to_string(level));
  for (int level = 0; level <= static_cast<int>(last_value(Priority{})); ++level)
    out.emplace_back(key_of(name(static_cast<Priority>(level))));
  return out;
}

JsonObject value_schema(const Arg& arg) {
  JsonObject out;
  switch (arg.kind) {
    case ArgKind::flag:
      out["type"] = "boolean";
      return out;
    case ArgKind::integer:
      out["type"] = "integer";
      if (arg.least != INT64_MIN) out["minimum"] = arg.least;
      if (arg.most != INT64_MAX) out["maximum"] = arg.most;
      return out;
    case ArgKind::choice:
      out["type"] = "string";
      out["enum"] = words(arg.choices);
      return out;
    case ArgKind::priority:
      out["enum"] = priorities();
      return out;
    case ArgKind::address:
      return texts_up_to(200);
    case ArgKind::list_name:
      return texts("^((group|queue|channel):|@)?[a-z0-9][a-z0-9_-]*$");
    case ArgKind::duration:
      return texts("^([0-9]+ ?[a-z]+ ?)+$|^0$");
    case ArgKind::message_id:
      return texts("^hq-m-[0-9a-z]+$");
    case ArgKind::nudge_id:
      return texts("^hq-n-[0-9a-z]+$");
    case ArgKind::text:
    case ArgKind::body:
    case ArgKind::path:
    case ArgKind::instant:
    case ArgKind::deadline:
    case ArgKind::map:
      break;
  }
  return texts("");
}

JsonObject argument_schema(const Arg& arg) {
  JsonObject out;
  if (arg.kind == ArgKind::map) {
    out["type"] = "object";
    out["additionalProperties"] = value_schema(arg);
  } else if (arg.many) {
    out["type"] = "array";
    out["items"] = value_schema(arg);
    if (arg.required) out["minItems"] = 1;
  } else {
    out = value_schema(arg);
  }
  out["description"] = key_of(arg.help);
  if (arg.standard.empty()) return out;
  if (arg.kind == ArgKind::integer)
    out["default"] = std::atoll(std::string(arg.standard).c_str());
  else
    out["default"] = key_of(arg.standard);
  return out;
}

/// What the schema cannot say of an argument: what its text means, and how it is given.
JsonObject argument_row(const Arg& arg) {
  JsonObject out;
  out["kind"] = key_of(name(arg.kind));
  if (arg.positional) out["positional"] = true;
  if (arg.many) out["many"] = true;
  if (arg.letter) out["letter"] = std::string(1, arg.letter);
  if (!arg.value.empty()) out["value"] = key_of(arg.value);
  if (!arg.choices.empty()) out["choices"] = words(arg.choices);
  if (!arg.bare.empty()) out["alone"] = key_of(arg.bare);
  if (!arg.unless.empty()) out["unless"] = key_of(arg.unless);
  if (arg.only) out["only"] = key_of(describe(*arg.only));
  return out;
}

constexpr std::array<std::string_view, 11> kShownAs = {"value", "id",       "address", "prose", "age",      "state",
                                                       "agent", "position", "mark",    "note",  "standings"};
static_assert(kShownAs.size() == static_cast<std::size_t>(Column::As::standings) + 1);

JsonArray columns_of(const Op& op) {
  JsonArray out;
  for (const auto& column : op.columns) {
    JsonObject one;
    if (!column.key.empty()) one["key"] = key_of(column.key);
    one["as"] = key_of(kShownAs[static_cast<std::size_t>(column.as)]);
    if (!column.heading.empty()) one["heading"] = key_of(column.heading);
    if (column.whom != Column::For::everybody) one["for"] = column.whom == Column::For::people ? "people" : "programs";
    out.push_back(std::move(one));
  }
  return out;
}

JsonObject arguments(const Op& op) {
  JsonObject out;
  for (const auto& arg : op.args) out[key_of(arg.name)] = argument_row(arg);
  return out;
}

JsonArray aliases(const Op& op) {
  JsonArray out;
  for (const auto& entry : op_table())
    if (entry.name != op.name && &entry.op() == &op) out.emplace_back(key_of(entry.name));
  return out;
}

JsonArray examples(const Op& op) {
  JsonArray out;
  for (const auto& example : op.examples) {
    JsonObject one;
    one["command"] = key_of(example.command);
    if (!example.what.empty()) one["what"] = key_of(example.what);
    out.push_back(std::move(one));
  }
  return out;
}

JsonObject wants(std::string_view argument) {
  JsonObject out, known;
  known[key_of(argument)] = true;  // strict validators refuse to require what they have not heard of
  out["properties"] = std::move(known);
  out["required"] = JsonArray{Json(key_of(argument))};
  return out;
}

/// "This one, or what stands in for it", for each of them.
JsonArray either_of_each(const Op& op) {
  JsonArray out;
  for (const auto& arg : op.args) {
    if (!arg.required || arg.unless.empty()) continue;
    JsonObject one;
    one["anyOf"] = JsonArray{wants(arg.name), wants(arg.unless)};
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string_view name(ArgKind kind) {
  switch (kind) {
    case ArgKind::text:
      return "text";
    case ArgKind::body:
      return "body";
    case ArgKind::path:
      return "path";
    case ArgKind::flag:
      return "flag";
    case ArgKind::integer:
      return "integer";
    case ArgKind::duration:
      return "duration";
    case ArgKind::deadline:
      return "deadline";
    case ArgKind::instant:
      return "instant";
    case ArgKind::priority:
      return "priority";
    case ArgKind::address:
      return "address";
    case ArgKind::message_id:
      return "message_id";
    case ArgKind::nudge_id:
      return "nudge_id";
    case ArgKind::list_name:
      return "list_name";
    case ArgKind::choice:
      return "choice";
    case ArgKind::map:
      return "map";
  }
  return "text";
}

JsonObject input_schema(const Op& op) {
  JsonObject out;
  JsonObject properties;
  JsonArray required;
  for (const auto& arg : op.args) {
    properties[key_of(arg.name)] = argument_schema(arg);
    if (arg.required && arg.unless.empty()) required.emplace_back(key_of(arg.name));
  }
  out["type"] = "object";
  out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
  auto either = either_of_each(op);
  if (either.size() == 1)
    out["anyOf"] = std::move(either.front().at("anyOf"));
  else if (!either.empty())
    out["allOf"] = std::move(either);
  out["additionalProperties"] = false;
  return out;
}

JsonObject schema_document() {
  JsonObject definitions;
  JsonObject operations;
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    if (entry.name != op.name) continue;
    JsonObject row;
    row["summary"] = key_of(op.summary);
    row["where"] = key_of(name(op.where));
    row["effect"] = key_of(name(op.effect));
    JsonArray also;
    for (const auto& other : op_table())
      if (other.op == entry.op && other.name != op.name && other.lead.empty()) also.emplace_back(key_of(other.name));
    if (!also.empty()) row["also"] = std::move(also);
    if (!op.changes_with.empty()) row["changes_with"] = key_of(op.changes_with);
    row["who"] = op.authority.describe();
    if (op.works_without_town) row["works_without_town"] = true;
    if (auto others = aliases(op); !others.empty()) row["aliases"] = std::move(others);
    row["arguments"] = arguments(op);
    if (!op.columns.empty()) row["columns"] = columns_of(op);
    row["examples"] = examples(op);
    row["input"] = input_schema(op);
    row["output"] = json_schema(op.result(), definitions);
    operations[key_of(op.name)] = std::move(row);
  }
  JsonObject out;
  out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  out["error"] = json_schema(shapes::error(), definitions);
  out["operations"] = std::move(operations);
  out["$defs"] = std::move(definitions);
  return out;
}

}  // namespace townpost
