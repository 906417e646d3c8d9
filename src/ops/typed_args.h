#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ops/args.h"
#include "protocol/type_registry.h"

namespace townpost {

/// The fields of a typed message by their keys. Error: usage, for one that was given twice.
Result<JsonObject> fields_of(const Args& args);

/// The type of that name. Error: not_found, with the nearest names.
Result<const protocol::ProtocolType*> type_named(const protocol::TypeRegistry& registry, const std::string& name);

}  // namespace townpost
