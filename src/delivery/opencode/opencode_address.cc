#include "delivery/opencode/opencode_address.h"

#include <algorithm>

#include "base/text.h"
#include "net/url.h"

namespace townpost {

namespace {

constexpr std::string_view kKind = "opencode:";

/// Part of a path, so nothing that would mean something there.
bool is_session_id(std::string_view text) {
  return !text.empty() && text.size() <= 200 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

}  // namespace

Result<std::string> opencode_server(std::string_view url) {
  TRY(parsed, Url::parse(url));
  if (parsed.target.find('?') != std::string::npos)
    return fail(Code::usage, "the address of an OpenCode server has no ? in it", "write http://HOST:PORT");
  while (!parsed.target.empty() && parsed.target.back() == '/') parsed.target.pop_back();
  std::string who;
  if (!parsed.user.empty() || !parsed.password.empty()) {
    const auto user = parsed.user.empty() ? std::string("opencode") : percent_escaped(parsed.user);
    who = cat(user, ":", percent_escaped(parsed.password), "@");
  }
  return cat("http://", who, parsed.host_and_port(), parsed.target);
}

Result<OpencodeAddress> OpencodeAddress::parse(std::string_view uri) {
  constexpr std::string_view kHint = "write it as opencode:http://HOST:PORT#SESSION";
  if (uri.substr(0, kKind.size()) != kKind)
    return fail(Code::usage, "not the address of an OpenCode session", std::string(kHint));
  uri.remove_prefix(kKind.size());
  const auto hash = std::min(uri.find('#'), uri.size());
  TRY(server, opencode_server(uri.substr(0, hash)));
  const auto session = uri.substr(std::min(hash + 1, uri.size()));
  if (!is_session_id(session))
    return fail(Code::usage, "the address of an OpenCode session ends in # and its id", std::string(kHint));
  return OpencodeAddress{server, std::string(session)};
}

std::string OpencodeAddress::shown_server() const {
  const auto parsed = Url::parse(server);
  return parsed ? parsed->origin() : std::string("the server");
}

std::string OpencodeAddress::url(std::string_view path) const { return cat(server, "/session/", session, path); }

}  // namespace townpost
