#include "http/page.h"

#include <algorithm>

#include "base/secret.h"
#include "base/text.h"

namespace townpost::http {

namespace {

constexpr std::string_view kPages = "/p/";
constexpr std::size_t kPlaceDigits = 32;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Townpost</title>
</head>
<body>
<main>
<h1>Townpost</h1>
<p>The post office of a town of coding agents. This is the town's server.</p>
)";
constexpr std::string_view kStranger =
    R"(<p>You are not signed in here. On the town's machine, <code>gt open</code> prints a
link that signs this browser in. Programs show a token, which <code>gt token create</code> makes.</p>
)";
constexpr std::string_view kWhatThereIs = R"(<ul>
<li><a href="openapi.json">openapi.json</a> describes the API for programs, <code>docs/api.md</code> for people.</li>
<li><a href="api/mail">api/mail</a>, <a href="api/agents">api/agents</a> and <a href="api/status">api/status</a> answer in
JSON; <a href="api/events">api/events</a> streams what happens.</li>
<li>In a terminal, <code>gt top</code> shows the town, and <code>gt help</code> what else there is.</li>
</ul>
)";
constexpr std::string_view kEnd = "</main>\n</body>\n</html>\n";

/// Only words of our own: nothing that comes from outside is on this page.
std::string_view who_is_signed_in(const TokenHolder& holder) {
  if (holder.reach == TokenHolder::Reach::reading_and_sending)
    return "<p>Programs of this machine need no token (<code>http.trust_loopback</code>): you read and send as the "
           "human.</p>\n";
  switch (holder.role) {
    case TokenRole::human:
      return "<p>You are signed in as the human.</p>\n";
    case TokenRole::agent:
      return "<p>You are signed in with the token of an agent.</p>\n";
    case TokenRole::rig:
    case TokenRole::town:
      break;
  }
  return "<p>You are signed in with a token for several agents.</p>\n";
}

}  // namespace

std::string place_of_page(std::string_view secret) {
  return cat(kPages, hash_of_secret(cat("place of ", secret)).substr(0, kPlaceDigits), "/");
}

std::string_view path_on_page(std::string_view path) {
  const auto end = kPages.size() + kPlaceDigits;
  if (path.size() <= end || !path.starts_with(kPages) || path[end] != '/') return path;
  const auto digits = path.substr(kPages.size(), kPlaceDigits);
  const bool is_place = std::all_of(digits.begin(), digits.end(),
                                    [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return is_place ? path.substr(end) : path;
}

HttpResponse start_page(const Visitor& visitor) {
  const auto& holder = visitor.origin.identity.token;
  return {.status = 200,
          .headers = {{"content-type", "text/html; charset=utf-8"},
                      {"cache-control", "no-store"},
                      {"content-security-policy",
                       "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                      {"referrer-policy", "no-referrer"},
                      {"x-content-type-options", "nosniff"},
                      {"cross-origin-opener-policy", "same-origin"},
                      {"cross-origin-resource-policy", "same-origin"}},
          .body = cat(kHead, holder ? who_is_signed_in(*holder) : kStranger, holder ? kWhatThereIs : "", kEnd)};
}

}  // namespace townpost::http
