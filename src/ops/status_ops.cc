#include <algorithm>
#include <set>

#include "base/text.h"
#include "ops/first_looks.h"
#include "ops/gate.h"
#include "ops/notifier.h"
#include "ops/nudge_views.h"
#include "ops/server_place.h"
#include "ops/shapes.h"
#include "ops/table.h"
#include "ops/views.h"
#include "post/nudge/cares.h"
#include "post/people/membership.h"
#include "post/people/resolve.h"
#include "post/rules/withheld.h"
#include "post/town/presences.h"
#include "post/town/watching.h"
#include "post/values/session_uri.h"

namespace townpost::ops {

namespace {

constexpr Millis kAgesGrow = std::chrono::minutes(1);

/// Whoever watches is told by the bells; ages grow by themselves. What rang before anybody listened was not heard: the
/// second look comes at once.
Again what_changes_it(Call& call, const Town& town) {
  auto& looked = call.request.kept["watch"];
  const bool first = looked.empty();
  looked = "yes";
  return {.what = Again::For::a_newer_view,
          .bells = {bell_of_log(), BellKey::registry()},
          .ears = {ears_of_presences(town.folder)},
          .at = first ? town.clock.now() : town.clock.now() + kAgesGrow};
}

/// Nothing: everybody. Error: not_found, if a name or a pattern means nobody.
Result<std::optional<std::set<AgentId>>> those_named(Town& town, const std::vector<std::string>& names) {
  if (names.empty()) return std::optional<std::set<AgentId>>();
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::optional<std::set<AgentId>>> {
    std::set<AgentId> out;
    for (const auto& name : names) {
      TRY(member, member_spelling(ledger, name));
      TRY(agents, expand_member(ledger, member));
      if (agents.empty()) {
        TRY(agent, resolve_one(ledger, name));
        agents.push_back(agent);
      }
      for (const auto& agent : agents) out.insert(agent.id);
    }
    return std::optional(std::move(out));
  });
}

Result<std::int64_t> unread_of(Town& town, const Caller& caller) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<std::int64_t> {
    TRY(self, own_mailbox(ledger, caller));
    if (self.id.key == 0) return std::int64_t{0};
    return ledger.count(self.id, Shelf::unread);
  });
}

/// What hooks, refusals and settings leave to be said.
void add_troubles(JsonObject& out, const Town& town, const Cares::Status& status, const Caller& caller) {
  out["hook_errors"] = hook_errors(town.folder);
  if (const auto refused = refusals_of(town.folder, town.clock.now()); refused.count > 0) {
    JsonObject told;
    told["count"] = refused.count;
    if (caller.is_person()) told["last"] = to_utf8(refused.last);  // words of who was refused
    out["refused"] = std::move(told);
  }
  auto warnings = town.settings.warnings;
  if (town.settings.http.trust_loopback)
    warnings.push_back("http.trust_loopback is on: every program of this machine reads and sends as you");
  if (!status.undone.empty()) out["undone"] = JsonArray(status.undone.begin(), status.undone.end());
  if (!warnings.empty()) out["warnings"] = JsonArray(warnings.begin(), warnings.end());
}

}  // namespace

const Op& status() {
  static const Op op{
      .name = "status",
      .summary = "Show the agents of the town: those that need you come first, with what they ask",
      .args = {maybe_many("agent", "ADDR", "Only these: agents, @patterns, wildcards, groups", ArgKind::address),
               flag("watch", "Keep running and update when something changes"),
               flag("line", "One short line, for the status line of tmux")},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result = [] { return shapes::status(); },
      .examples = {{"gt status", ""},
                   {"gt status coder", "one agent"},
                   {"gt status @crew --watch", "live, until Ctrl-C"},
                   {"gt status --line", "set -g status-right '#(gt --town ~/town status --line)'"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(caller, call.caller());
        TRY(only, those_named(*town, call.args.list("agent")));
        TRY(status, Cares(*town).status(only));
        look_at_first_screens(call, *town, status.agents);
        const Instant now = town->clock.now();
        JsonObject out;
        out["town"] = to_utf8(town->settings.town_name);
        out["bell"] = notify_in(town->folder).bell;
        out["held"] = status.watch.held(now);
        if (status.watch.watched_at.ms > 0) out["watched_at"] = rfc3339(status.watch.watched_at);
        const auto watcher = watcher_of(town->folder);
        out["watching"] = watcher.has_value();
        if (watcher && !watcher->refusal.empty()) out["cannot_watch"] = to_utf8(watcher->refusal);
        if (const auto url = url_of_server(town->folder); !url.empty()) out["url"] = url;
        TRY(unread, unread_of(*town, caller));
        out["unread"] = unread;
        add_troubles(out, *town, status, caller);
        JsonArray sessions;
        for (const auto& one : status.sessions) sessions.push_back(views::session(one));
        if (!sessions.empty() && !only) out["sessions"] = std::move(sessions);
        JsonArray agents;
        for (const auto& one : status.agents) agents.push_back(views::status(one, town->settings, now));
        out["agents"] = std::move(agents);
        Answer answer{.json = std::move(out)};
        if (call.args.flag("watch")) answer.again = what_changes_it(call, *town);
        return answer;
      }};
  return op;
}

const Op& top() {
  static const Op op{
      .name = "top",
      .summary = "Watch over the town on the whole screen: agents, what happens, mail and panes; a table into a pipe",
      .args = {flag("watch", "Into a pipe: go on and show the table again when something changes"),
               flag("table", "The last hour's traffic of each agent, busiest first, also on a terminal")},
      .authority = by_anyone(),
      .where = Where::anywhere,
      .effect = Effect::reads,
      .result =
          [] {
            return shape::list_of(shape::object(
                "busy_agent", {shape::always("address", shape::text()), shape::always("state", shapes::agent_state()),
                               shape::maybe("session", shape::text()), shape::always("sent", shape::integer()),
                               shape::always("wakes", shape::integer()),
                               shape::always("hops", shape::integer(), "the longest chain of answers it is in"),
                               shape::always("pending", shape::integer()),
                               shape::always("held", shape::integer(), "what a rule holds back from it"),
                               shape::always("held_sent", shape::integer(), "what a rule holds back of its own mail"),
                               shape::always("unread", shape::integer())}));
          },
      .columns = {{"address", Column::As::address},
                  {"state", Column::As::agent},
                  "sent",
                  "wakes",
                  "hops",
                  {"pending", Column::As::value, "NUDGES"},
                  "held",
                  {"held_sent", Column::As::value, "HELD SENT"},
                  "unread"},
      .list = {.none = "nothing was sent"},
      .examples = {{"gt top", "? shows its keys"}, {"gt top | cat", "who sends, wakes and is held"}},
      .run = [](Call& call) -> Result<Answer> {
        TRY(town, call.town());
        TRY(status, Cares(*town).status());
        look_at_first_screens(call, *town, status.agents);
        std::stable_sort(status.agents.begin(), status.agents.end(), [](const auto& a, const auto& b) {
          return a.sent_in_an_hour + a.wakes_in_an_hour > b.sent_in_an_hour + b.wakes_in_an_hour;
        });
        JsonArray out;
        for (const auto& one : status.agents) {
          JsonObject entry;
          entry["address"] = views::shown(one.agent.address.str(), town->settings);
          entry["state"] = name(one.presence ? one.presence->state : AgentState::unknown);
          if (one.presence && !one.presence->session.empty()) entry["session"] = shown_session(one.presence->session);
          entry["sent"] = one.sent_in_an_hour;
          entry["wakes"] = one.wakes_in_an_hour;
          entry["hops"] = one.hops;
          entry["pending"] = one.pending;
          entry["held"] = one.held;
          entry["held_sent"] = one.held_sent;
          entry["unread"] = one.unread;
          out.push_back(std::move(entry));
        }
        Answer answer{.json = std::move(out)};
        if (call.args.flag("watch")) answer.again = what_changes_it(call, *town);
        return answer;
      }};
  return op;
}

}  // namespace townpost::ops
