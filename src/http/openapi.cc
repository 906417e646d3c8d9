#include "http/openapi.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "http/ask.h"
#include "http/json_names.h"
#include "http/reply.h"
#include "http/route.h"
#include "ops/schema.h"

namespace townpost::http {

namespace {

using Key = boost::json::string_view;
Key key_of(std::string_view name) { return {name.data(), name.size()}; }

JsonObject ref(std::string_view name) {
  JsonObject out;
  out["$ref"] = cat("#/components/", name);
  return out;
}

/// Shapes refer to "#/$defs/…"; here definitions live elsewhere.
void move_refs(Json& value) {
  if (value.is_array())
    for (auto& one : value.get_array()) move_refs(one);
  if (!value.is_object()) return;
  for (auto& [key, inner] : value.get_object()) {
    constexpr std::string_view kDefs = "#/$defs/";
    if (key == "$ref" && inner.is_string() && std::string_view(inner.get_string()).starts_with(kDefs))
      inner = cat("#/components/schemas/", std::string_view(inner.get_string()).substr(kDefs.size()));
    else
      move_refs(inner);
  }
}

JsonObject in_envelope(JsonObject data) {
  JsonObject properties;
  JsonObject always_true;
  always_true["const"] = true;
  properties["success"] = std::move(always_true);
  properties["data"] = std::move(data);
  properties["timestamp"] = JsonObject{{"type", "string"}, {"format", "date-time"}};
  return JsonObject{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", JsonArray{"success", "data", "timestamp"}}};
}

JsonObject json_content(JsonObject schema) {
  JsonObject content;
  content["application/json"] = JsonObject{{"schema", std::move(schema)}};
  return content;
}

/// The data of a route's answer.
JsonObject data_schema(const Route& route, const Op& op, JsonObject& definitions) {
  const auto shape = op.result();
  const auto of = [&](const Shape& part) { return json_schema(view_of(part), definitions); };
  const auto field = [&]() -> const Shape& {
    const auto& fields = shape.fields();
    return std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return one.key == route.key; })->shape;
  };
  switch (route.data) {
    case Route::Data::answer:
      return of(shape);
    case Route::Data::page: {
      JsonObject properties;
      properties["items"] = of(shape);
      properties["total"] = JsonObject{{"type", "integer"}};
      properties["hasMore"] = JsonObject{{"type", "boolean"}};
      properties["nextCursor"] = JsonObject{{"type", JsonArray{"integer", "null"}}};
      return JsonObject{{"type", "object"},
                        {"properties", std::move(properties)},
                        {"required", JsonArray{"items", "total", "hasMore", "nextCursor"}}};
    }
    case Route::Data::first:
      return of(shape.item());
    case Route::Data::count:
      return JsonObject{{"type", "object"},
                        {"properties", JsonObject{{"count", JsonObject{{"type", "integer"}}}}},
                        {"required", JsonArray{"count"}}};
    case Route::Data::member:
      return of(field());
    case Route::Data::first_of_member:
      return of(field().item());
  }
  return {};
}

bool has_body(const Route& route) { return route.method == "POST" || route.method == "PATCH"; }

struct Taken {
  JsonArray parameters;
  JsonObject properties;  ///< of the body
  JsonArray required;
};

Taken taken_by(const Route& route, const Op& op) {
  Taken out;
  const auto schema = input_schema(op);
  const auto& properties = schema.at("properties").get_object();
  Found found{.route = &route, .parts = {}};
  for (const auto part : split(route.path, '/'))
    if (part.starts_with(':')) {
      const auto name = part.substr(1);
      found.parts.emplace_back(name, "");
      JsonObject text{{"type", "string"}};
      out.parameters.push_back(JsonObject{{"name", key_of(name)},
                                          {"in", "path"},
                                          {"required", true},
                                          {"description", key_of(find_argument(op, name)->help)},
                                          {"schema", std::move(text)}});
    }
  for (const auto& arg : op.args) {
    const auto here = name_here(route, arg.name);
    if (!may_say(op, found, here)) continue;
    const auto& one = properties.at(key_of(arg.name));
    if (has_body(route)) {
      out.properties[key_of(here)] = one;
      if (arg.required && arg.unless.empty()) out.required.emplace_back(key_of(here));
    } else {
      out.parameters.push_back(JsonObject{{"name", key_of(here)},
                                          {"in", "query"},
                                          {"required", arg.required},
                                          {"description", key_of(arg.help)},
                                          {"schema", one}});
    }
  }
  return out;
}

JsonObject responses(const Route& route, const Op& op, JsonObject& definitions) {
  JsonObject out;
  out[std::to_string(route.status)] = JsonObject{
      {"description", key_of(op.summary)}, {"content", json_content(in_envelope(data_schema(route, op, definitions)))}};
  out["default"] = ref("responses/Failure");
  return out;
}

/// "getApiMailIdExplain": what generated clients call it.
std::string operation_id(const Route& route) {
  std::string out = lower_ascii(route.method);
  for (const auto part : split(route.path, '/')) {
    const auto word = part.starts_with(':') ? cat("by_", part.substr(1)) : std::string(part);
    if (!word.empty() && word != "api") out += cat("_", word);
  }
  return std::string(camel(out));
}

JsonObject failure_response() {
  JsonObject error;
  error["type"] = "object";
  JsonArray codes;
  for (const int status : {400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 431, 500, 503})
    codes.emplace_back(key_of(code_word(status)));
  error["properties"] = JsonObject{{"code", JsonObject{{"type", "string"}, {"enum", std::move(codes)}}},
                                   {"message", JsonObject{{"type", "string"}}},
                                   {"details", JsonObject{{"type", "object"}}}};
  error["required"] = JsonArray{"code", "message"};
  JsonObject body;
  body["type"] = "object";
  body["properties"] = JsonObject{{"success", JsonObject{{"const", false}}},
                                  {"error", std::move(error)},
                                  {"timestamp", JsonObject{{"type", "string"}, {"format", "date-time"}}}};
  body["required"] = JsonArray{"success", "error", "timestamp"};
  return JsonObject{{"description", "Why it was not done"}, {"content", json_content(std::move(body))}};
}

}  // namespace

JsonObject openapi_document() {
  JsonObject definitions, paths;
  for (const auto& route : routes()) {
    const Op& op = *find_op(route.op);
    std::string path;
    for (const auto part : split(route.path, '/'))
      if (!part.empty()) path += part.starts_with(':') ? cat("/{", part.substr(1), "}") : cat("/", part);
    auto taken = taken_by(route, op);
    JsonObject one;
    one["operationId"] = operation_id(route);
    one["summary"] = key_of(op.summary);
    if (!taken.parameters.empty()) one["parameters"] = std::move(taken.parameters);
    if (has_body(route) && !taken.properties.empty()) {
      JsonObject body{{"type", "object"}, {"properties", std::move(taken.properties)}, {"additionalProperties", false}};
      const bool required = !taken.required.empty();
      if (required) body["required"] = std::move(taken.required);
      one["requestBody"] = JsonObject{{"required", required}, {"content", json_content(std::move(body))}};
    }
    one["responses"] = responses(route, op, definitions);
    if (!paths.contains(path)) paths[path] = JsonObject{};
    paths[path].get_object()[lower_ascii(route.method)] = std::move(one);
  }
  JsonObject document;
  document["openapi"] = "3.1.0";
  document["info"] = JsonObject{
      {"title", "Townpost"}, {"version", TOWNPOST_VERSION}, {"summary", "The post office of a town of coding agents"}};
  document["paths"] = std::move(paths);
  document["components"] =
      JsonObject{{"schemas", std::move(definitions)},
                 {"responses", JsonObject{{"Failure", failure_response()}}},
                 {"securitySchemes", JsonObject{{"token", JsonObject{{"type", "http"}, {"scheme", "bearer"}}}}}};
  document["security"] = JsonArray{JsonObject{{"token", JsonArray{}}}};
  Json whole = std::move(document);
  move_refs(whole);
  return whole.get_object();
}

}  // namespace townpost::http
