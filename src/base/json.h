#pragma once
#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

/// Reads one JSON value; at most 32 levels deep. Error: usage, naming what is wrong.
Result<Json> parse_json(std::string_view text);

/// One line, keys in the order they were added, text as UTF-8.
std::string to_line(const Json& value);

/// Indented by two spaces, final newline: for people and diffs.
std::string to_pretty(const Json& value);

}  // namespace townpost
