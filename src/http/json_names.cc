#include "http/json_names.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/json_fields.h"
#include "base/mutex.h"
#include "base/text.h"
#include "protocol/infrastructure.h"

namespace townpost::http {

namespace {

using Kind = Shape::Kind;
std::string in_camel(std::string_view name) {
  std::string out;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

const Field* field_named(const Shape& object, std::string_view key) {
  const auto& fields = object.fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

/// Whatever has a priority twice, as a word and as a number, is a message with something added.
bool is_message(const Shape& object) { return field_named(object, "priority_level") && field_named(object, "subject"); }

Shape recipient() {
  using namespace shape;  // NOLINT(google-build-using-namespace): the words that the shape is written in
  return object("addressee",
                {always("address", text()), always("cc", flag()), maybe("state", text()), maybe("reason", text())});
}

JsonArray addressees(const Json& message) {
  JsonArray out;
  for (const std::string_view list : {"to", "cc"})
    for (const auto& address : list_in(message, list)) {
      JsonObject one;
      one["address"] = address;
      one["cc"] = list == "cc";
      out.push_back(std::move(one));
    }
  return out;
}

Json message_view(const Shape& shape, const Json& message) {
  JsonObject out;
  for (const auto& [name, value] : message.get_object()) {
    const std::string_view key(name);
    if (key == "priority") continue;
    const auto* field = field_named(shape, key);
    if (key == "priority_level") {
      out["priority"] = value;
    } else if (key == "to") {
      out["to"] = value.get_array().empty() ? Json("") : value.get_array().front();
    } else {
      out[key_of(camel(key))] = field ? view(field->shape, value) : value;
    }
  }
  if (!out.contains("recipients")) out["recipients"] = addressees(message);
  out["isInfrastructure"] = protocol::is_infrastructure(text_in(message, "subject"));
  return out;
}

Shape message_shape(const Shape& shape) {
  using namespace shape;  // NOLINT(google-build-using-namespace): the words that the shape is written in
  std::vector<Field> fields;
  bool has_recipients = false;
  for (const auto& field : shape.fields()) {
    if (field.key == "priority") continue;
    has_recipients = has_recipients || field.key == "recipients";
    if (field.key == "priority_level") {
      fields.push_back(always("priority", integer(), field.help));
    } else if (field.key == "to") {
      fields.push_back(always("to", text(), "the first recipient"));
    } else {
      fields.push_back({camel(field.key), view_of(field.shape), field.help, field.always});
    }
  }
  if (!has_recipients) fields.push_back(always("recipients", list_of(recipient())));
  fields.push_back(always("isInfrastructure", flag(), "of the traffic between programs"));
  return object(shape.name(), std::move(fields));
}

}  // namespace

namespace {

/// Clients know an agent by its id, which is what mail is addressed to.
bool is_agent(const Shape& object) { return object.name() == "agent_status"; }

/// The name of a key here; what a send answers with is the id of a message, and clients know it as that.
std::string_view key_here(const Shape& object, std::string_view key) {
  return object.name() == "receipt" && key == "id" ? "messageId" : camel(key);
}

}  // namespace

std::string_view camel(std::string_view snake) {
  static Mutex mutex;
  static std::set<std::string, std::less<>>* const known = new std::set<std::string, std::less<>>;
  const MutexLock lock(mutex);
  return *known->insert(in_camel(snake)).first;
}

std::string snake(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) out += '_';
    out += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

Json view(const Shape& shape, const Json& value) {
  switch (shape.kind()) {
    case Kind::object: {
      if (!value.is_object()) return value;
      if (is_message(shape)) return message_view(shape, value);
      JsonObject out;
      if (is_agent(shape)) out["id"] = value.at("address");
      for (const auto& [key, inner] : value.get_object()) {
        const auto* field = field_named(shape, std::string_view(key));
        out[key_of(key_here(shape, std::string_view(key)))] = field ? view(field->shape, inner) : inner;
      }
      return out;
    }
    case Kind::list: {
      JsonArray out;
      for (const auto& item : value.get_array()) out.push_back(view(shape.item(), item));
      return out;
    }
    case Kind::map: {
      JsonObject out;
      for (const auto& [key, inner] : value.get_object()) out[key] = view(shape.item(), inner);
      return out;
    }
    case Kind::one_of:
      for (const auto& alternative : shape.alternatives())
        if (!misfit(alternative, value)) return view(alternative, value);
      return value;
    default:
      return value;
  }
}

Shape view_of(const Shape& shape) {
  switch (shape.kind()) {
    case Kind::object: {
      if (is_message(shape)) return message_shape(shape);
      std::vector<Field> fields;
      if (is_agent(shape)) fields.push_back(shape::always("id", shape::text(), "its address"));
      for (const auto& field : shape.fields())
        fields.push_back({key_here(shape, field.key), view_of(field.shape), field.help, field.always});
      return shape::object(shape.name(), std::move(fields));
    }
    case Kind::list:
      return shape::list_of(view_of(shape.item()));
    case Kind::map:
      return shape::map_of(view_of(shape.item()));
    case Kind::one_of: {
      std::vector<Shape> alternatives;
      for (const auto& alternative : shape.alternatives()) alternatives.push_back(view_of(alternative));
      return shape::one_of(std::move(alternatives));
    }
    default:
      return shape;
  }
}

}  // namespace townpost::http
