#include "delivery/http/http_runner.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kKind = "http:";

}  // namespace

bool is_http_session(std::string_view uri) {
  if (uri.starts_with(kKind) && !uri.starts_with("http://")) uri.remove_prefix(kKind.size());
  return uri.starts_with("http://") || uri.starts_with("https://");
}

Result<HttpRunner> HttpRunner::parse(const std::string& uri) {
  const bool has_kind = uri.starts_with(kKind) && !uri.starts_with("http://");
  std::string text = has_kind ? uri.substr(kKind.size()) : uri;
  TRY(url, Url::parse(text, Url::Schemes::http_and_https));
  if (url.target.find_first_of("?#") != std::string::npos || text.find('#') != std::string::npos)
    return fail(Code::usage, cat(url.origin(), " is followed by more than a path"), "say http:https://HOST:PORT/PATH");
  while (text.ends_with('/')) text.pop_back();
  return HttpRunner{url, std::move(text)};
}

std::string HttpRunner::uri() const { return cat(kKind, base); }

std::string HttpRunner::message_url(const Address& agent) const {
  std::string id = agent.str();
  std::replace(id.begin(), id.end(), '/', '~');
  return cat(base, "/agents/", percent_escaped(id), "/message");
}

bool HttpRunner::is_named_in(const std::vector<std::string>& targets) const {
  const auto host = lower_ascii(url.host);
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    return target == host || target == lower_ascii(url.host_and_port());
  });
}

}  // namespace townpost
