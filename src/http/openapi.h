#pragma once
#include "base/json.h"

namespace townpost::http {

/// The whole API as an OpenAPI 3.1 document, made from the routes and the rows of the operation table.
JsonObject openapi_document();

}  // namespace townpost::http
