#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocol/type_registry.h"

namespace townpost {

/// The fields written as `key=value` words; the value is everything behind the first `=`. Error: usage.
Result<JsonObject> fields_of(const std::vector<std::string>& words);

/// The type of that name. Error: not_found, with the nearest names.
Result<const protocol::ProtocolType*> type_named(const protocol::TypeRegistry& registry, const std::string& name);

}  // namespace townpost
