#include "base/json.h"

#include <algorithm>
#include <boost/json/src.hpp>
#include <cmath>

#include "base/text.h"

namespace townpost {

namespace {

/// Whether every number fits: one that does not is read as infinity, which JSON cannot write.
bool is_finite(const Json& value) {
  if (const auto* number = value.if_double()) return std::isfinite(*number);
  if (const auto* array = value.if_array()) return std::all_of(array->begin(), array->end(), is_finite);
  if (const auto* object = value.if_object())
    return std::all_of(object->begin(), object->end(), [](const auto& member) { return is_finite(member.value()); });
  return true;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = 32;
  Json value = boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (error) return fail(Code::usage, cat("not valid JSON: ", error.message()), "check it, for example with jq");
  if (!is_finite(value)) return fail(Code::usage, "not valid JSON: a number is too large", "write a smaller one");
  return value;
}

std::string to_line(const Json& value) { return boost::json::serialize(value); }

namespace {

void pretty(const Json& value, std::size_t indent, std::string& out) {
  const std::string inner(indent + 2, ' ');
  if (const auto* object = value.if_object(); object && !object->empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ",\n";
      first = false;
      out += inner + boost::json::serialize(key) + ": ";
      pretty(member, indent + 2, out);
    }
    out += "\n" + std::string(indent, ' ') + "}";
  } else if (const auto* array = value.if_array(); array && !array->empty()) {
    out += "[\n";
    bool first = true;
    for (const auto& item : *array) {
      if (!first) out += ",\n";
      first = false;
      out += inner;
      pretty(item, indent + 2, out);
    }
    out += "\n" + std::string(indent, ' ') + "]";
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string to_pretty(const Json& value) {
  std::string out;
  pretty(value, 0, out);
  out += "\n";
  return out;
}

}  // namespace townpost
