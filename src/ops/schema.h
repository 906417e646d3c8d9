#pragma once
#include "base/json.h"
#include "ops/op.h"

namespace townpost {

/// What an operation takes, as JSON Schema (draft 2020-12).
JsonObject input_schema(const Op& op);

/// Every operation: what it does, what it takes and what it answers, as one document.
JsonObject schema_document();

}  // namespace townpost
