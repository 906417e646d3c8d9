#include "base/json.h"

#include <boost/json/src.hpp>

#include "base/text.h"

namespace townpost {

Result<Json> parse_json(std::string_view text) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = 32;
  Json value = boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (error) return fail(Code::usage, cat("not valid JSON: ", error.message()));
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
