#include "base/text.h"
#include "http/json_names.h"
#include "http/route.h"
#include "net/url.h"

namespace townpost::http {

namespace {

using enum Route::Data;

/// Every row is a promise to clients: docs/api.md and the OpenAPI document are made from it.
const std::vector<Route>& table() {
  static const std::vector<Route> rows = {
      // mail
      {.method = "GET",
       .path = "/api/mail",
       .op = "mail.traffic",
       .names = {{"unreadOnly", "unread"}, {"threadId", "thread"}, {"q", "query"}},
       .data = page},
      {.method = "POST",
       .path = "/api/mail",
       .op = "mail.send",
       .names = {{"ackRequired", "ack"}, {"threadId", "thread"}},
       .status = 201,
       .wanted = {"subject", "body"},
       .recipient = "to",
       .needless = {"includeReplyInstructions"}},
      {.method = "GET", .path = "/api/mail/identity", .op = "whoami"},
      {.method = "GET",
       .path = "/api/mail/unread",
       .op = "mail.check",
       .data = count,
       .key = "unread",
       .named_only = true},
      {.method = "GET", .path = "/api/mail/thread/:id", .op = "mail.thread"},
      {.method = "GET", .path = "/api/mail/:id", .op = "mail.look"},
      {.method = "GET", .path = "/api/mail/:id/explain", .op = "mail.explain"},
      {.method = "POST", .path = "/api/mail/:id/read", .op = "mail.seen", .data = first},
      {.method = "POST", .path = "/api/mail/:id/unread", .op = "mail.mark-unread", .data = first},
      {.method = "POST", .path = "/api/mail/:id/ack", .op = "mail.ack", .data = first},
      {.method = "POST", .path = "/api/mail/:id/archive", .op = "mail.archive", .data = first},
      {.method = "DELETE", .path = "/api/mail/:id", .op = "mail.delete", .data = first},
      // agents
      {.method = "GET", .path = "/api/agents", .op = "status", .data = member, .key = "agents"},
      {.method = "GET", .path = "/api/agents/:agent", .op = "status", .data = first_of_member, .key = "agents"},
      {.method = "GET", .path = "/api/agents/:address/mail", .op = "mail.inbox", .data = page},
      {.method = "POST",
       .path = "/api/agents/:target/message",
       .op = "nudge",
       .names = {{"prompt", "body"}},
       .fixed = {{"mode", "immediate"}, {"only_running", "true"}},
       .data = first,
       .status = 201,
       .named_only = true},
      {.method = "POST",
       .path = "/api/agents/:target/nudge",
       .op = "nudge",
       .names = {{"message", "body"}, {"mode", "mode"}, {"priority", "priority"}, {"ttlSeconds", "ttl"}},
       .data = first,
       .status = 201,
       .named_only = true},
      {.method = "POST",
       .path = "/api/agents/:agent/events",
       .op = "agent.report",
       .names = {{"event", "event"}, {"detail", "detail"}},
       .named_only = true},
      {.method = "GET", .path = "/api/agents/:agent/pending-nudges", .op = "nudge.pending"},
      {.method = "POST", .path = "/api/agents/:agent/nudges/:id/delivered", .op = "nudge.confirm", .named_only = true},
      // groups
      {.method = "GET", .path = "/api/groups", .op = "group.list"},
      {.method = "POST", .path = "/api/groups", .op = "group.create", .names = {{"members", "member"}}, .status = 201},
      {.method = "GET", .path = "/api/groups/:name", .op = "group.show"},
      {.method = "PATCH",
       .path = "/api/groups/:name",
       .op = "group.set",
       .names = {{"members", "member"}},
       .named_only = true},
      {.method = "POST", .path = "/api/groups/:name/members", .op = "group.add", .names = {{"members", "member"}}},
      {.method = "DELETE", .path = "/api/groups/:name/members/:member", .op = "group.remove"},
      {.method = "DELETE", .path = "/api/groups/:name", .op = "group.delete"},
      // queues
      {.method = "GET", .path = "/api/queues", .op = "queue.list"},
      {.method = "POST", .path = "/api/queues", .op = "queue.create", .status = 201},
      {.method = "GET", .path = "/api/queues/:name", .op = "queue.show"},
      {.method = "POST", .path = "/api/queues/:queue/claim", .op = "mail.claim", .named_only = true},
      {.method = "POST",
       .path = "/api/queues/:queue/complete",
       .op = "mail.complete",
       .names = {{"id", "id"}},
       .data = first,
       .named_only = true},
      {.method = "POST",
       .path = "/api/queues/:queue/fail",
       .op = "mail.fail",
       .names = {{"id", "id"}, {"reason", "reason"}},
       .data = first,
       .named_only = true},
      {.method = "POST", .path = "/api/queues/:name/pause", .op = "queue.pause"},
      {.method = "POST", .path = "/api/queues/:name/resume", .op = "queue.resume"},
      {.method = "POST", .path = "/api/queues/:name/close", .op = "queue.close"},
      {.method = "GET", .path = "/api/queues/:name/dead", .op = "queue.dead"},
      {.method = "DELETE", .path = "/api/queues/:name", .op = "queue.delete"},
      // channels
      {.method = "GET", .path = "/api/channels", .op = "channel.list"},
      {.method = "POST",
       .path = "/api/channels",
       .op = "channel.create",
       .names = {{"retentionCount", "retain_count"}, {"retentionHours", "retain_hours"}},
       .status = 201},
      {.method = "GET", .path = "/api/channels/:name", .op = "channel.show"},
      {.method = "PATCH",
       .path = "/api/channels/:name",
       .op = "channel.update",
       .names = {{"retentionCount", "retain_count"}, {"retentionHours", "retain_hours"}}},
      {.method = "GET", .path = "/api/channels/:name/posts", .op = "channel.read", .data = page},
      {.method = "POST", .path = "/api/channels/:name/close", .op = "channel.close"},
      {.method = "POST", .path = "/api/channels/:name/reopen", .op = "channel.reopen"},
      {.method = "DELETE", .path = "/api/channels/:name", .op = "channel.delete"},
      // nudges
      {.method = "GET", .path = "/api/nudges", .op = "nudge.list"},
      {.method = "GET", .path = "/api/nudges/:id", .op = "nudge.show"},
      {.method = "GET", .path = "/api/nudges/:id/explain", .op = "nudge.explain"},
      // the town
      {.method = "GET", .path = "/api/status", .op = "status"},
      {.method = "GET", .path = "/api/directory", .op = "mail.directory"},
      {.method = "GET", .path = "/api/feed", .op = "feed"},
  };
  return rows;
}

/// In a path an address has "~" where it has "/", or "%2F".
std::string part_value(std::string_view part) {
  auto text = percent_unescaped(part);
  for (char& c : text)
    if (c == '~') c = '/';
  return text;
}

std::optional<Found> match(const Route& route, const std::vector<std::string_view>& parts) {
  const auto wanted = split(route.path, '/');
  if (wanted.size() != parts.size()) return std::nullopt;
  Found out{.route = &route};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!wanted[i].starts_with(':')) {
      if (wanted[i] != parts[i]) return std::nullopt;
      continue;
    }
    if (parts[i].empty()) return std::nullopt;
    out.parts.emplace_back(wanted[i].substr(1), part_value(parts[i]));
  }
  return out;
}

bool is_more_exact(const Found& a, const Found& b) { return a.parts.size() < b.parts.size(); }

}  // namespace

std::span<const Route> routes() { return table(); }

Lookup find_route(std::string_view method, std::string_view path) {
  const std::string whole = path.starts_with("/agents/") || path == "/agents" ? cat("/api", path) : std::string(path);
  const auto parts = split(whole, '/');
  Lookup out;
  std::optional<Found> exact;  // of any method: "/api/mail/unread" is no id
  std::vector<Found> all;
  for (const auto& route : table())
    if (auto found = match(route, parts)) {
      if (!exact || is_more_exact(*found, *exact)) exact = *found;
      all.push_back(std::move(*found));
    }
  for (auto& found : all) {
    if (is_more_exact(*exact, found)) continue;
    if (found.route->method == method) {
      out.found = std::move(found);
      return out;
    }
    out.other_methods.push_back(found.route->method);
  }
  return out;
}

std::string_view name_here(const Route& route, std::string_view argument) {
  for (const auto& name : route.names)
    if (name.argument == argument) return name.here;
  return camel(argument);
}

}  // namespace townpost::http
