#include "cli/render_text.h"

#include "base/text.h"

namespace townpost {

std::string text_of(const JsonObject& object, const char* key) {
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
    for (const auto& item : value->get_array()) out.emplace_back(item.get_string());
  return for_terminal_line(join(out, ", "));
}

std::string bold(const std::string& text, const Screen& screen) {
  return screen.colour ? cat("\x1b[1m", text, "\x1b[0m") : text;
}
std::string dim(const std::string& text, const Screen& screen) {
  return screen.colour ? cat("\x1b[2m", text, "\x1b[0m") : text;
}
std::string red(const std::string& text, const Screen& screen) {
  return screen.colour ? cat("\x1b[31m", text, "\x1b[0m") : text;
}

}  // namespace townpost
