#include "http/openapi.h"

#include <algorithm>
#include <array>

#include "base/json_fields.h"
#include "base/text.h"
#include "http/ask.h"
#include "http/event_frames.h"
#include "http/json_names.h"
#include "http/reply.h"
#include "http/route.h"
#include "ops/schema.h"

namespace townpost::http {

namespace {

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

JsonObject parameter(std::string_view name, std::string_view in, bool required, JsonObject schema) {
  JsonObject out{{"name", key_of(name)}, {"in", key_of(in)}, {"required", required}};
  if (auto* help = schema.if_contains("description")) {
    out["description"] = std::move(*help);
    schema.erase("description");
  }
  out["schema"] = std::move(schema);
  return out;
}

/// What a body may say for an argument: of several values also one alone, and seconds as a number.
JsonObject in_body(const Arg& arg, std::string_view here, const JsonObject& schema) {
  JsonObject other;
  if (arg.many && arg.kind != ArgKind::map)
    other = schema.at("items").get_object();
  else if (arg.kind == ArgKind::duration && here.ends_with("Seconds"))
    other = JsonObject{{"type", "integer"}, {"minimum", 0}};
  else
    return schema;
  JsonObject first = schema, out;
  out["description"] = first.at("description");
  first.erase("description");
  out["anyOf"] = JsonArray{std::move(other), std::move(first)};
  return out;
}

Taken taken_by(const Route& route, const Op& op) {
  Taken out;
  const auto input = input_schema(op);
  const auto& properties = input.at("properties").get_object();
  Found found{.route = &route, .parts = {}};
  for (const auto part : split(route.path, '/'))
    if (part.starts_with(':')) {
      const auto name = part.substr(1);
      auto schema = properties.at(key_of(name)).get_object();
      if (const auto* of_one = schema.if_contains("items")) {
        JsonObject one = of_one->get_object();
        one["description"] = schema.at("description");
        schema = std::move(one);
      }
      found.parts.emplace_back(name, "");
      out.parameters.push_back(parameter(name, "path", true, std::move(schema)));
    }
  const auto& wanted = route.wanted;
  for (const auto& arg : op.args) {
    const auto here = name_here(route, arg.name);
    if (!may_say(op, found, here)) continue;
    const auto& schema = properties.at(key_of(arg.name)).get_object();
    const bool required =
        std::find(wanted.begin(), wanted.end(), arg.name) != wanted.end() || (arg.required && arg.unless.empty());
    if (!has_body(route)) {
      auto taken = schema;
      if (route.data == Route::Data::page && arg.name == "limit") taken["maximum"] = kLargestPage;
      out.parameters.push_back(parameter(here, "query", required, std::move(taken)));
      continue;
    }
    out.properties[key_of(here)] = in_body(arg, here, schema);
    if (required) out.required.emplace_back(key_of(here));
  }
  for (const auto name : route.needless)
    out.properties[key_of(name)] = JsonObject{{"description", "Changes nothing: it always happens"}};
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
  std::replace(out.begin(), out.end(), '-', '_');
  return std::string(camel(out));
}

JsonObject failure_details() {
  JsonObject properties;
  properties["argument"] = JsonObject{{"type", "string"}, {"description", "What is at fault, as it is called here"}};
  properties["hint"] = JsonObject{{"type", "string"}, {"description", "What to do next"}};
  properties["retryAfter"] = JsonObject{{"type", "integer"}, {"description", "Seconds"}};
  return JsonObject{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

JsonObject failure_response() {
  JsonObject error;
  error["type"] = "object";
  JsonArray codes;
  for (const int status : {400, 401, 403, 404, 405, 408, 409, 413, 415, 429, 431, 500, 503})
    codes.emplace_back(key_of(code_word(status)));
  error["properties"] = JsonObject{{"code", JsonObject{{"type", "string"}, {"enum", std::move(codes)}}},
                                   {"message", JsonObject{{"type", "string"}}},
                                   {"details", failure_details()}};
  error["required"] = JsonArray{"code", "message"};
  JsonObject body;
  body["type"] = "object";
  body["properties"] = JsonObject{{"success", JsonObject{{"const", false}}},
                                  {"error", std::move(error)},
                                  {"timestamp", JsonObject{{"type", "string"}, {"format", "date-time"}}}};
  body["required"] = JsonArray{"success", "error", "timestamp"};
  return JsonObject{{"description", "Why it was not done"}, {"content", json_content(std::move(body))}};
}

JsonObject answer_with(std::string_view type, JsonObject schema, std::string_view what) {
  JsonObject content;
  content[key_of(type)] = JsonObject{{"schema", std::move(schema)}};
  JsonObject out;
  out["200"] = JsonObject{{"description", key_of(what)}, {"content", std::move(content)}};
  out["default"] = ref("responses/Failure");
  return out;
}

JsonObject health(std::string_view word) {
  JsonObject properties;
  properties["status"] = JsonObject{{"const", key_of(word)}};
  return in_envelope(
      JsonObject{{"type", "object"}, {"properties", std::move(properties)}, {"required", JsonArray{"status"}}});
}

JsonArray event_parameters() {
  const auto text = [](std::string_view help) { return JsonObject{{"type", "string"}, {"description", key_of(help)}}; };
  const auto several = [](std::string_view name, std::string_view help, JsonObject item) {
    auto out = parameter(name, "query", false,
                         JsonObject{{"type", "array"}, {"items", std::move(item)}, {"description", key_of(help)}});
    out["explode"] = false;  // with commas between them
    return out;
  };
  JsonArray kinds;
  for (const auto kind : event_names()) kinds.emplace_back(key_of(kind));
  return JsonArray{
      several("kind", "Only these kinds", JsonObject{{"type", "string"}, {"enum", std::move(kinds)}}),
      several("agent", "Only what concerns these agents", JsonObject{{"type", "string"}, {"minLength", 1}}),
      parameter("thread", "query", false, text("Only this conversation")),
      parameter("lastEventId", "query", false, text("The same as Last-Event-ID, where headers cannot be set")),
      parameter("Last-Event-ID", "header", false, text("Tell everything behind this event first")),
  };
}

/// What the server answers without an operation (http/extras.cc).
JsonObject paths_beside_the_table() {
  JsonObject out;
  const auto get = [&](std::string_view path, std::string_view id, std::string_view summary, JsonObject answers) {
    out[key_of(path)] = JsonObject{
        {"get",
         JsonObject{{"operationId", key_of(id)}, {"summary", key_of(summary)}, {"responses", std::move(answers)}}}};
  };
  const JsonObject text{{"type", "string"}};
  get("/healthz", "getHealthz", "Say that the server runs; for anybody",
      answer_with("application/json", health("ok"), "It runs"));
  out["/healthz"].get_object()["get"].get_object()["security"] = JsonArray{};
  get("/readyz", "getReadyz", "Say that the store can be read",
      answer_with("application/json", health("ready"), "It can be read"));
  get("/metrics", "getMetrics", "Show counters of the server, as Prometheus reads them",
      answer_with("text/plain", text, "Counters"));
  get("/openapi.json", "getOpenapiJson", "Show this document",
      answer_with("application/json", JsonObject{{"type", "object"}}, "This document"));
  get("/api/events", "getEvents", "Follow what happens, as a stream of server-sent events",
      answer_with("text/event-stream", text, "Events, until one side ends it"));
  out["/api/events"].get_object()["get"].get_object()["parameters"] = event_parameters();
  return out;
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
  for (auto& [path, one] : paths_beside_the_table()) paths[path] = std::move(one);
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
