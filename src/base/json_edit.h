#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"

namespace townpost {

// Changes to JSON text that somebody else wrote: every byte that is not the change stays as it is. The text must be one
// that parse_json() takes, and what a path names must be there.

/// A place in a JSON text: names of members and positions of elements, from the outside in.
using JsonPath = std::vector<std::variant<std::string, std::size_t>>;

/// Adds a last member to the object at `path`, laid out as its neighbours are.
std::string add_member(std::string_view text, const JsonPath& path, std::string_view name, const Json& value);

/// Adds a last element to the array at `path`, laid out as its neighbours are.
std::string add_element(std::string_view text, const JsonPath& path, const Json& value);

/// Removes the member or element at `path`. What add_member or add_element returned becomes again what they were given.
std::string remove_at(std::string_view text, const JsonPath& path);

}  // namespace townpost
