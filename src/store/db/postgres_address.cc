#include "store/db/postgres_address.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kHint =
    "write postgres://USER@HOST:PORT/DATABASE; special characters of a password are written as %40, or put it into "
    "~/.pgpass";

Failure malformed(std::string_view reason) {
  return fail(Code::usage, cat("this address of a PostgreSQL cannot be used: ", reason), std::string(kHint));
}

/// libpq quotes what it could not read, which may be the password or hold it. Only what stands behind the last @ of the
/// url and before any parameter for a password is repeated.
std::string without_secrets(std::string_view reason, std::string_view url) {
  const auto at = url.rfind('@');
  const auto secret = url.find("password", at == std::string_view::npos ? 0 : at);
  std::string out;
  while (!reason.empty()) {
    const auto open = reason.find('"');
    const auto close = open == std::string_view::npos ? open : reason.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const auto quoted = reason.substr(open + 1, close - open - 1);
    const auto found = url.find(quoted);
    const bool harmless =
        found != std::string_view::npos && (at == std::string_view::npos || found > at) && found < secret;
    out += reason.substr(0, open);
    out += harmless ? cat("\"", quoted, "\"") : std::string("(not shown)");
    reason.remove_prefix(close + 1);
  }
  if (reason.find('"') == std::string_view::npos) out += reason;
  return for_terminal_line(trim(out));
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (const auto part : split(text, ',')) out.emplace_back(part);
  return out;
}

/// The i-th of a list; a list of one is for all.
std::string nth(const std::vector<std::string>& list, std::size_t i) {
  if (list.size() == 1) return list[0];
  return i < list.size() ? list[i] : std::string();
}

void collect(std::map<std::string, std::string>& into, const PQconninfoOption* options) {
  for (; options && options->keyword; ++options)
    if (options->val && *options->val && std::string_view(options->keyword).find("password") == std::string_view::npos)
      into.emplace(options->keyword, options->val);
}

}  // namespace

bool PostgresAddress::is_one(const std::string& url) {
  return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

Result<PostgresAddress> PostgresAddress::parse(const Libpq& pq, const std::string& url) {
  if (!is_one(url)) return malformed("it does not begin with postgres://");
  char* reason = nullptr;
  PQconninfoOption* const given = pq.PQconninfoParse(url.c_str(), &reason);
  if (!given) {
    const std::string why = reason ? reason : "out of memory";
    if (reason) pq.PQfreemem(reason);
    return malformed(without_secrets(why, url));
  }
  PostgresAddress out;
  out.url_ = url;
  collect(out.options_, given);
  pq.PQconninfoFree(given);
  // A password with a bare @ or / in it moves into the next part of the url, where it would be shown.
  for (const auto* part : {"host", "port", "dbname"})
    if (out.option(part).find('@') != std::string::npos) return malformed("there is an @ too many, or a / before it");
  if (PQconninfoOption* const defaults = pq.PQconndefaults()) {
    collect(out.options_, defaults);
    pq.PQconninfoFree(defaults);
  }
  const auto names = list_of(out.option("host"));
  const auto addresses = list_of(out.option("hostaddr"));
  const auto ports = list_of(out.option("port"));
  const std::size_t count = std::max({names.size(), addresses.size(), std::size_t{1}});
  for (std::size_t i = 0; i < count; ++i) {
    Host host{nth(names, i), nth(addresses, i), nth(ports, i)};
    if (host.port.empty()) host.port = "5432";
    if (host.port.find_first_not_of("0123456789") != std::string::npos) return malformed("the port is not a number");
    out.hosts_.push_back(std::move(host));
  }
  return out;
}

std::string PostgresAddress::option(const std::string& keyword) const {
  const auto found = options_.find(keyword);
  return found == options_.end() ? std::string() : found->second;
}

std::string PostgresAddress::place() const {
  std::string out;
  if (const auto service = option("service"); !service.empty() && option("host").empty()) {
    out = cat("service ", service);
  } else {
    for (const auto& host : hosts_) {
      const std::string& name = host.name.empty() ? host.address : host.name;
      const bool bare_ipv6 = name.find(':') != std::string::npos;
      out += cat(out.empty() ? "" : ",",
                 bare_ipv6      ? cat("[", name, "]")
                 : name.empty() ? "local socket"
                                : name,
                 ":", host.port);
    }
  }
  const std::string database = option("dbname");
  return for_terminal_line(cat(out, "/", database.empty() ? option("user") : database));
}

std::string PostgresAddress::psql() const {
  std::string names;
  std::string ports;
  for (const auto& host : hosts_) {
    names += cat(names.empty() ? "" : ",", host.name.empty() ? host.address : host.name);
    ports += cat(ports.empty() ? "" : ",", host.port);
  }
  std::string out = "psql";
  if (!names.empty()) out += cat(" -h ", names);
  out += cat(" -p ", ports);
  if (const auto user = option("user"); !user.empty()) out += cat(" -U ", user);
  if (const auto database = option("dbname"); !database.empty()) out += cat(" -d ", database);
  return for_terminal_line(out);
}

PostgresAddress::Parameters PostgresAddress::parameters() const {
  // Before the url, so that the url wins: a server that vanished without a word is noticed within half a minute.
  Parameters out = {{"fallback_application_name", "townpost"}};
  for (const auto& [keyword, value] : Parameters{{"connect_timeout", "5"},
                                                 {"keepalives_idle", "10"},
                                                 {"keepalives_interval", "5"},
                                                 {"keepalives_count", "3"},
                                                 {"tcp_user_timeout", "20000"}})
    if (option(keyword).empty()) out.emplace_back(keyword, value);
  out.emplace_back("dbname", url_);
  out.emplace_back("client_encoding", "UTF8");
  return out;
}

PostgresAddress::Parameters PostgresAddress::parameters(std::size_t host) const {
  auto out = parameters();
  out.emplace_back("host", hosts_[host].name);
  out.emplace_back("hostaddr", hosts_[host].address);
  out.emplace_back("port", hosts_[host].port);
  return out;
}

}  // namespace townpost
