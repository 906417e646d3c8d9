#include "ops/shape.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "base/json_fields.h"
#include "base/text.h"

namespace townpost {

struct Shape::Parts {
  std::vector<std::string_view> choices;
  std::vector<Field> fields;
  std::vector<Shape> shapes;  ///< the item, or the alternatives
};

struct ShapeWords {
  static Shape plain(Shape::Kind kind) {
    Shape out;
    out.kind_ = kind;
    return out;
  }
  static Shape made(Shape::Kind kind, std::string_view name, Shape::Parts parts) {
    Shape out = plain(kind);
    out.name_ = name;
    out.parts_ = std::make_shared<const Shape::Parts>(std::move(parts));
    return out;
  }
  static Shape named(std::string_view name, Shape shape) {
    shape.name_ = name;
    return shape;
  }
  static Shape choice(std::vector<std::string_view> words) {
    return made(Shape::Kind::choice, {}, {.choices = std::move(words)});
  }
  static Shape object(std::string_view name, std::vector<Field> fields) {
    return made(Shape::Kind::object, name, {.fields = std::move(fields)});
  }
  static Shape of(Shape::Kind kind, std::vector<Shape> shapes) { return made(kind, {}, {.shapes = std::move(shapes)}); }
};

const std::vector<std::string_view>& Shape::choices() const {
  CHECK(kind_ == Kind::choice);
  return parts_->choices;
}
const std::vector<Field>& Shape::fields() const {
  CHECK(kind_ == Kind::object);
  return parts_->fields;
}
const Shape& Shape::item() const {
  CHECK(kind_ == Kind::list || kind_ == Kind::map);
  return parts_->shapes.front();
}
const std::vector<Shape>& Shape::alternatives() const {
  CHECK(kind_ == Kind::one_of);
  return parts_->shapes;
}

namespace shape {

using Kind = Shape::Kind;

Shape anything() { return {}; }
Shape text() { return ShapeWords::plain(Kind::text); }
Shape integer() { return ShapeWords::plain(Kind::integer); }
Shape number() { return ShapeWords::plain(Kind::number); }
Shape flag() { return ShapeWords::plain(Kind::flag); }
Shape instant() { return ShapeWords::plain(Kind::instant); }
Shape choice(std::vector<std::string_view> words) { return ShapeWords::choice(std::move(words)); }
Shape object(std::string_view name, std::vector<Field> fields) { return ShapeWords::object(name, std::move(fields)); }
Shape list_of(Shape item) { return ShapeWords::of(Kind::list, {std::move(item)}); }
Shape map_of(Shape value) { return ShapeWords::of(Kind::map, {std::move(value)}); }
Shape one_of(std::vector<Shape> alternatives) { return ShapeWords::of(Kind::one_of, std::move(alternatives)); }
Shape or_null(Shape shape) { return one_of({std::move(shape), ShapeWords::plain(Kind::null)}); }

Shape named(std::string_view name, Shape shape) { return ShapeWords::named(name, std::move(shape)); }

Shape with(std::string_view name, const Shape& object, std::vector<Field> more) {
  auto fields = object.fields();
  fields.insert(fields.end(), more.begin(), more.end());
  return ShapeWords::object(name, std::move(fields));
}

Shape requiring(std::string_view name, const Shape& object, std::vector<std::string_view> keys) {
  auto fields = object.fields();
  for (auto& field : fields)
    if (std::find(keys.begin(), keys.end(), field.key) != keys.end()) field.always = true;
  return ShapeWords::object(name, std::move(fields));
}

Field always(std::string_view key, Shape shape, std::string_view help) { return {key, std::move(shape), help, true}; }
Field maybe(std::string_view key, Shape shape, std::string_view help) { return {key, std::move(shape), help, false}; }

}  // namespace shape

namespace {

using Kind = Shape::Kind;
std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::any:
      return "anything";
    case Kind::text:
      return "a text";
    case Kind::integer:
      return "a whole number";
    case Kind::number:
      return "a number";
    case Kind::flag:
      return "true or false";
    case Kind::instant:
      return "an instant";
    case Kind::null:
      return "null";
    case Kind::choice:
      return "one of its words";
    case Kind::object:
    case Kind::map:
      return "an object";
    case Kind::list:
      return "a list";
    case Kind::one_of:
      return "one of its shapes";
  }
  return "";
}

std::optional<std::string> below(std::string_view place, const std::optional<std::string>& inner) {
  if (!inner) return std::nullopt;
  return cat(place, inner->starts_with('[') || inner->starts_with(':') ? "" : ".", *inner);
}

std::optional<std::string> object_misfit(const Shape& shape, const JsonObject& object) {
  for (const auto& field : shape.fields()) {
    const auto* value = object.if_contains(key_of(field.key));
    if (!value && field.always) return cat(field.key, ": is missing");
    if (value)
      if (auto inner = below(field.key, misfit(field.shape, *value))) return inner;
  }
  for (const auto& [key, value] : object)
    if (std::none_of(shape.fields().begin(), shape.fields().end(),
                     [&, at = boost::json::string_view(key)](const Field& field) { return key_of(field.key) == at; }))
      return cat(std::string_view(key), ": is not in the shape");
  return std::nullopt;
}

bool is_plain(const Shape& shape, const Json& value) {
  switch (shape.kind()) {
    case Kind::any:
      return true;
    case Kind::text:
      return value.is_string();
    case Kind::integer:
      return value.is_int64() || value.is_uint64();
    case Kind::number:
      return value.is_number();
    case Kind::flag:
      return value.is_bool();
    case Kind::null:
      return value.is_null();
    case Kind::instant:
      return value.is_string() && parse_instant(std::string_view(value.get_string())).has_value();
    case Kind::choice:
      return value.is_string() && std::find(shape.choices().begin(), shape.choices().end(),
                                            std::string_view(value.get_string())) != shape.choices().end();
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> misfit(const Shape& shape, const Json& value) {
  auto wrong = [&] { return cat(": ", shorten(to_line(value), 60), " is not ", name_of(shape.kind())); };
  switch (shape.kind()) {
    case Kind::object:
      return value.is_object() ? object_misfit(shape, value.get_object()) : std::optional(wrong());
    case Kind::list: {
      if (!value.is_array()) return wrong();
      std::size_t at = 0;
      for (const auto& item : value.get_array())
        if (auto inner = below(cat("[", at++, "]"), misfit(shape.item(), item))) return inner;
      return std::nullopt;
    }
    case Kind::map:
      if (!value.is_object()) return wrong();
      for (const auto& [key, item] : value.get_object())
        if (auto inner = below(std::string_view(key), misfit(shape.item(), item))) return inner;
      return std::nullopt;
    case Kind::one_of: {
      std::string reasons;
      for (const auto& alternative : shape.alternatives()) {
        const auto reason = misfit(alternative, value);
        if (!reason) return std::nullopt;
        reasons += cat(reasons.empty() ? "" : "; or ", *reason);
      }
      return cat(": ", reasons);
    }
    default:
      return is_plain(shape, value) ? std::nullopt : std::optional(wrong());
  }
}

JsonObject json_schema(const Shape& shape, JsonObject& definitions) {
  JsonObject out;
  switch (shape.kind()) {
    case Kind::any:
      break;
    case Kind::text:
      out["type"] = "string";
      break;
    case Kind::integer:
      out["type"] = "integer";
      break;
    case Kind::number:
      out["type"] = "number";
      break;
    case Kind::flag:
      out["type"] = "boolean";
      break;
    case Kind::null:
      out["type"] = "null";
      break;
    case Kind::instant:
      out["type"] = "string";
      out["format"] = "date-time";
      break;
    case Kind::choice: {
      out["type"] = "string";
      JsonArray words;
      for (const auto word : shape.choices()) words.emplace_back(key_of(word));
      out["enum"] = std::move(words);
      break;
    }
    case Kind::list:
      out["type"] = "array";
      out["items"] = json_schema(shape.item(), definitions);
      break;
    case Kind::map:
      out["type"] = "object";
      out["additionalProperties"] = json_schema(shape.item(), definitions);
      break;
    case Kind::one_of: {
      JsonArray alternatives;
      for (const auto& alternative : shape.alternatives())
        alternatives.push_back(json_schema(alternative, definitions));
      out["anyOf"] = std::move(alternatives);
      break;
    }
    case Kind::object: {
      if (!shape.name().empty() && definitions.contains(key_of(shape.name()))) {
        out["$ref"] = cat("#/$defs/", shape.name());
        return out;
      }
      out["type"] = "object";
      JsonObject properties;
      JsonArray required;
      for (const auto& field : shape.fields()) {
        auto inner = json_schema(field.shape, definitions);
        if (!field.help.empty()) inner["description"] = key_of(field.help);
        properties[key_of(field.key)] = std::move(inner);
        if (field.always) required.emplace_back(key_of(field.key));
      }
      out["properties"] = std::move(properties);
      if (!required.empty()) out["required"] = std::move(required);
      if (shape.name().empty()) return out;
      definitions[key_of(shape.name())] = std::move(out);
      JsonObject reference;
      reference["$ref"] = cat("#/$defs/", shape.name());
      return reference;
    }
  }
  return out;
}

std::string view_key(const Shape& shape) {
  if (!shape.name().empty()) return std::string(shape.name());
  if (shape.kind() == Kind::list) return cat("[", view_key(shape.item()), "]");
  return shape.kind() == Kind::one_of ? view_key(shape.alternatives().front()) : std::string();
}

std::string in_short(const Shape& shape) {
  if (!shape.name().empty()) return std::string(shape.name());
  switch (shape.kind()) {
    case Kind::object: {
      std::string out;
      for (const auto& field : shape.fields())
        out += cat(out.empty() ? "{" : ",", "\"", field.key, "\"", field.always ? "" : "?");
      return out.empty() ? "{}" : out + "}";
    }
    case Kind::list:
      return cat("[", in_short(shape.item()), "]");
    case Kind::map:
      return cat("{NAME: ", in_short(shape.item()), "}");
    case Kind::one_of: {
      std::string out;
      for (const auto& alternative : shape.alternatives()) out += cat(out.empty() ? "" : " or ", in_short(alternative));
      return out;
    }
    case Kind::choice:
      return join(std::vector<std::string>(shape.choices().begin(), shape.choices().end()), "|");
    case Kind::null:
      return "null";
    default:
      return std::string(name_of(shape.kind()));
  }
}

}  // namespace townpost
