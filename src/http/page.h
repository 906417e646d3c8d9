#pragma once
#include <string>
#include <string_view>

#include "http/doorkeeper.h"
#include "net/http_exchange.h"

namespace townpost::http {

/// Where the page with this secret lives: "/p/0f3e…/". A browser sends a cookie to every port of a machine, so also to
/// a program that an agent runs there and a person looks at; but only below the path that the cookie was set for, which
/// nobody else knows.
std::string place_of_page(std::string_view secret);

/// What a path below a page's place asks for: "/p/0f3e…/api/mail" is "/api/mail". Any other stays as it is.
std::string_view path_on_page(std::string_view path);

/// What a browser is shown at "/": what this is, and if it is signed in.
HttpResponse start_page(const Visitor& visitor);

}  // namespace townpost::http
