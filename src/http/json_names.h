#pragma once
#include <string>
#include <string_view>

#include "base/json.h"
#include "ops/shape.h"

namespace townpost::http {

// How this API spells what operations take and answer. Names are in camelCase: "thread_id" is "threadId". A message has
// its priority as a number, its first recipient as `to`, all of them as `recipients`, and `isInfrastructure`.

/// Lives as long as the program.
std::string_view camel(std::string_view snake);
std::string snake(std::string_view camel);

/// An answer of this shape, as clients of this API read it.
Json view(const Shape& shape, const Json& value);
/// What view() makes of a shape.
Shape view_of(const Shape& shape);

}  // namespace townpost::http
