#pragma once
#include "base/json.h"
#include "ops/op.h"

namespace townpost {

/// The word for a kind of argument: "address", "message_id".
std::string_view name(ArgKind kind);

/// What an operation takes, as JSON Schema (draft 2020-12).
JsonObject input_schema(const Op& op);

/// Every row as one document: what it does, its other names, what it takes (its arguments, and the schema of their
/// values), what it answers, which columns a list shows, and examples.
JsonObject schema_document();

}  // namespace townpost
