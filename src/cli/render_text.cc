#include "cli/render_text.h"

#include "base/local_time.h"
#include "base/text.h"
#include "cli/spell.h"

namespace townpost {

std::string text_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  return value && value->is_string() ? one_line(value->get_string()) : "";
}

std::string text_of(const Json& value) { return value.is_string() ? one_line(value.get_string()) : to_line(value); }

std::string said(const JsonObject& object, const char* key, const Screen& screen) {
  return with_local_moments(respelled(text_of(object, key)), screen.now);
}
std::string said(const Json& value, const Screen& screen) {
  return with_local_moments(respelled(text_of(value)), screen.now);
}

std::string lines_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

std::int64_t number_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  if (!value) return 0;
  if (value->is_int64()) return value->get_int64();
  return value->is_uint64() ? static_cast<std::int64_t>(value->get_uint64()) : 0;
}

bool flag_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  return value && value->is_bool() && value->get_bool();
}

std::string list_of(const JsonObject& object, const char* key) {
  std::vector<std::string> out;
  if (const auto* value = object.if_contains(key); value && value->is_array())
    for (const auto& item : value->get_array()) out.push_back(text_of(item));
  return join(out, ", ");
}

std::string moment_of(const JsonObject& object, const char* key, const Screen& screen) {
  const auto at = parse_instant(text_of(object, key));
  return at ? local_moment(*at, screen.now) : text_of(object, key);
}
std::string step_of(const JsonObject& object, const char* key, const Screen& screen) {
  const auto at = parse_instant(text_of(object, key));
  return at ? local_step(*at, screen.now) : text_of(object, key);
}

Shown bold(std::string_view text, const Screen& screen) {
  return screen.colour ? Shown::stressed(text, Stress::bold) : text;
}
Shown dim(std::string_view text, const Screen& screen) {
  return screen.colour ? Shown::stressed(text, Stress::dim) : text;
}
Shown red(std::string_view text, const Screen& screen) {
  return screen.colour ? Shown::stressed(text, Stress::red) : text;
}

}  // namespace townpost
