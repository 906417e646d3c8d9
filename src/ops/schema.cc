#include "ops/schema.h"

#include "ops/shapes.h"

namespace townpost {

namespace {

using Key = boost::json::string_view;

Key key_of(std::string_view text) { return {text.data(), text.size()}; }

JsonObject texts(std::string_view format) {
  JsonObject out;
  out["type"] = "string";
  if (!format.empty()) out["pattern"] = key_of(format);
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
    case ArgKind::choice: {
      out["type"] = "string";
      JsonArray words;
      for (const auto word : arg.choices) words.emplace_back(key_of(word));
      out["enum"] = std::move(words);
      return out;
    }
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
    case ArgKind::priority:
    case ArgKind::address:
    case ArgKind::list_name:
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

}  // namespace

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
    if (!op.changes_with.empty()) row["changes_with"] = key_of(op.changes_with);
    row["who"] = op.authority.describe();
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
