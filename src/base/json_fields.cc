#include "base/json_fields.h"

namespace townpost {

const Json& member_of(const Json& value, std::string_view key) {
  static const Json null;
  const auto* object = value.if_object();
  const auto* found = object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
  return found == nullptr ? null : *found;
}

std::string_view text_in(const Json& value, std::string_view key) {
  const auto* text = member_of(value, key).if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

const JsonArray& list_in(const Json& value, std::string_view key) {
  static const JsonArray empty;
  const auto* list = member_of(value, key).if_array();
  return list == nullptr ? empty : *list;
}

}  // namespace townpost
