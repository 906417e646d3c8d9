#pragma once
#include <string_view>

#include "http/route.h"
#include "net/http_server.h"
#include "ops/args.h"
#include "post/town/settings.h"

namespace townpost::http {

/// The arguments that a request gives its operation: the path's, the route's own, the query's, and the body's unless it
/// is a GET or DELETE. Error: usage, naming what is unknown or malformed.
Result<Args> arguments_of(const Op& op, const Found& found, const HttpRequest& request, const Settings& settings);

/// Whether a request of this route may say this, besides what is in its path.
bool may_say(const Op& op, const Found& found, std::string_view here);

/// The pairs of a query, escapes resolved. "a=1&b" is a: 1 and b: empty.
std::vector<std::pair<std::string, std::string>> query_pairs(std::string_view query);

}  // namespace townpost::http
