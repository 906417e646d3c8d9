#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace townpost {

/// The fields written as `key=value` words; the value is everything behind the first `=`. Error: usage.
Result<JsonObject> fields_of(const std::vector<std::string>& words);

}  // namespace townpost
