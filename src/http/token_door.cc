#include "http/token_door.h"

#include <algorithm>

#include "base/advice.h"
#include "base/text.h"
#include "net/url.h"
#include "ops/call.h"
#include "post/people/tokens.h"

namespace townpost::http {

namespace {

constexpr std::size_t kMostShares = 10'000;

tl::unexpected<Turned> turned(int status, std::string why) { return tl::unexpected<Turned>({status, std::move(why)}); }

/// "[::1]:8420" is "::1", "localhost:8420" is "localhost"; nothing for what is no host and port.
std::string host_name(std::string_view host) {
  const auto end = host.starts_with('[') ? host.find(']') : host.find(':');
  const auto rest = host.substr(std::min(host.size(), host.starts_with('[') ? end + 1 : end));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_port = rest.empty() || (rest[0] == ':' && std::all_of(rest.begin() + 1, rest.end(), is_digit));
  if (!is_port || (host.starts_with('[') && end == std::string_view::npos)) return {};
  return lower_ascii(host.starts_with('[') ? host.substr(1, end - 1) : host.substr(0, end));
}

/// Whether it is one of the names that the server is called by.
bool is_our_name(std::string_view host, std::string_view address, const HttpSettings& settings) {
  const auto name = host_name(host);
  if (name.empty()) return false;
  if (is_loopback_number(name) || name == "localhost" || name == address) return true;
  return std::find(settings.hosts.begin(), settings.hosts.end(), name) != settings.hosts.end();
}

std::string_view cookie_of(const HttpRequest& request) {
  for (const auto part : split(request.header("cookie"), ';')) {
    const auto pair = trim(part);
    const auto sign = pair.find('=');
    if (sign != std::string_view::npos && pair.substr(0, sign) == TokenDoor::kCookie) return pair.substr(sign + 1);
  }
  return {};
}

bool only_reads(const HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

/// Whether a page of ours sent it, and no other site's.
bool is_from_our_page(const HttpRequest& request) {
  const auto origin = request.header("origin");
  if (origin.empty()) return false;
  return origin == cat(request.secure ? "https://" : "http://", request.header("host"));
}

}  // namespace

tl::expected<TokenHolder, Turned> TokenDoor::holder_of(const HttpRequest& request, OpenTown& town) const {
  constexpr std::string_view kBearer = "bearer ";
  const auto unknown = [] {
    return turned(401, cat("show a token: Authorization: Bearer …; a person makes one on the town's machine: ",
                           called("token.create")));
  };
  const auto authorization = request.header("authorization");
  const auto cookie = cookie_of(request);
  const auto ask = [&](auto who, std::string_view text) -> tl::expected<TokenHolder, Turned> {
    auto holder = read_value(town.store(), [&](Ledger& ledger) { return who(ledger, text, town.clock().now()); });
    if (holder) return std::move(*holder);
    if (holder.error().code == Code::forbidden) return turned(401, "this token lets nobody in");
    return turned(503, holder.error().message);
  };
  if (!authorization.empty()) {
    if (lower_ascii(authorization.substr(0, kBearer.size())) != kBearer) return unknown();
    return ask(who_holds, trim(authorization.substr(kBearer.size())));
  }
  if (!cookie.empty()) {
    if (!only_reads(request) && !is_from_our_page(request))
      return turned(403, "a page of another site cannot ask for this");
    return ask(who_browses, cookie);
  }
  const bool came_directly = request.header("x-forwarded-for").empty() && request.header("forwarded").empty();
  if (town.settings()->http.trust_loopback && is_loopback_number(request.peer) && came_directly)
    return TokenHolder::trusted_loopback();
  return unknown();
}

bool TokenDoor::has_share_left(const std::string& token, int per_minute) {
  if (per_minute <= 0) return true;
  const auto now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  if (shares_.size() > kMostShares) shares_.clear();
  auto [found, is_new] = shares_.try_emplace(token, Share{static_cast<double>(per_minute), now});
  auto& share = found->second;
  const std::chrono::duration<double, std::ratio<60>> minutes = now - share.at;
  share.left = std::min<double>(per_minute, share.left + minutes.count() * per_minute);
  share.at = now;
  if (share.left < 1) return false;
  share.left -= 1;
  return true;
}

tl::expected<Visitor, Turned> TokenDoor::admit(const HttpRequest& request) {
  Request opening;
  opening.origin.town = parts_.town;
  opening.origin.environment = &parts_.around;
  opening.started_at = parts_.host.clock().now();
  auto town = parts_.host.open(parts_.town, opening);
  if (!town) return turned(503, "the town cannot be opened; look at it on its own machine");  // nobody is known yet
  const auto settings = (*town)->settings();
  if (request.count("host") != 1 || !is_our_name(request.header("host"), parts_.address, settings->http))
    return turned(403, "this server is not called that; the setting http.hosts names what it is called");
  if (!request.header("origin").empty() && !is_from_our_page(request))
    return turned(403, "a page of another site cannot ask for this");
  auto holder = holder_of(request, **town);
  if (!holder) return tl::unexpected(std::move(holder.error()));
  if (!has_share_left(holder->token, settings->http.requests_per_minute))
    return turned(429, "too many requests with this token; try again in a moment");
  Visitor out{.origin = opening.origin, .token = holder->token, .expires_at = holder->expires_at, .once_answered = {}};
  if (const auto as = request.header("townpost-as"); !as.empty()) out.origin.identity.flag = std::string(as);
  if (holder->use_is_to_be_noted)
    out.once_answered = [this, holder = *holder] {
      Request noting;
      noting.origin.town = parts_.town;
      noting.origin.environment = &parts_.around;
      noting.started_at = parts_.host.clock().now();
      Call call(Args(), parts_.host, noting);
      if (const auto opened = call.town()) (void)Tokens(**opened).note_use(holder);
    };
  out.origin.identity.token = std::move(*holder);
  return out;
}

}  // namespace townpost::http
