#pragma once
#include <string_view>

#include "base/json.h"

namespace townpost {

// Looking into JSON that somebody else has written: what is missing or of another kind is empty, never an error.

/// A name as the values themselves take it.
inline boost::json::string_view key_of(std::string_view name) { return {name.data(), name.size()}; }

/// The text at `key`; lives as long as the value.
std::string_view text_in(const Json& value, std::string_view key);
/// The value at `key`, or null.
const Json& member_of(const Json& value, std::string_view key);
/// The list at `key`, or an empty one.
const JsonArray& list_in(const Json& value, std::string_view key);

}  // namespace townpost
