#include "ops/pane_of_agent.h"

#include <algorithm>

#include "base/text.h"
#include "post/people/resolve.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

namespace {

/// Why somebody has no pane to go to, and what a person does instead.
Failure no_pane(const std::string& address, const Presence& presence) {
  if (presence.state == AgentState::unknown && presence.pid == 0 && presence.session.empty())
    return fail(Code::not_found, cat(address, " is not running"), next("start", {{"agent", address}}, " starts it"));
  if (is_over(presence.state) || is_gone(presence))
    return fail(Code::not_found, cat(address, " is not running"),
                next("start", {{"agent", address}}, " starts it again"));
  if (!presence.host.empty() && presence.host != this_host())
    return fail(Code::not_found, cat(address, " runs on another host, ", for_terminal_line(presence.host)),
                "log in there, then " + next("attach", {{"agent", address}}));
  if (presence.session.starts_with("opencode:"))
    return fail(
        Code::not_found,
        cat(address, " runs in a server, ", for_terminal_line(shown_session(presence.session)), ", and has no pane"),
        "open the server with its own client: opencode attach URL");
  const auto process = presence.pid > 0 ? cat(" (process ", presence.pid, ")") : std::string();
  return fail(Code::not_found, cat(address, " does not run in tmux", process),
              "look for its terminal; agents started by " + next("start", {{"agent", "NAME"}}, " have a pane"));
}

}  // namespace

Result<PaneOfAgent> pane_of_agent(Call& call, const std::string& name) {
  TRY(town, call.town());
  std::optional<Agent> known;
  StoredPresence stored;
  std::string rig_prefix;
  TRY_VOID(town->store.read([&](Ledger& ledger) -> Result<> {
    TRY(found, resolve_one(ledger, name));
    known = found;
    TRY(presence, stored_presence(ledger, found.id));
    stored = presence;
    TRY(rigs, ledger.rigs());
    const auto rig =
        std::find_if(rigs.begin(), rigs.end(), [&](const Rig& one) { return one.name == found.address.rig(); });
    rig_prefix = rig == rigs.end() ? std::string() : rig->prefix;
    return {};
  }));
  const Agent& agent = *known;
  const auto address = agent.address.str();
  if (agent.address.role() == Role::human || agent.address.role() == Role::system)
    return fail(Code::refused, cat(address, " is not an agent"), next("status", {}, " lists the agents"));
  const auto presence = seen_presence(*town, stored).value_or(Presence{.agent = agent.id});
  const bool live = is_live(presence);
  auto& doors = call.doors();
  std::optional<Error> why;
  for (const auto& uri : {live ? presence.session : std::string(), agent.session}) {
    if (!uri.starts_with("tmux:") || (!presence.host.empty() && presence.host != this_host())) continue;
    auto place = doors.pane_of(uri, agent, presence);
    if (place) return PaneOfAgent{agent, *place};
    if (place.error().code != Code::not_found && !why) why = place.error();
  }
  if (why) return fail(*why);
  if (live && presence.pid > 0 && presence.host == this_host())
    if (auto place = doors.pane_around(presence.pid)) return PaneOfAgent{agent, *place};
  if (presence.session.empty() && agent.session.empty())
    if (const auto uri = doors.find(agent.address, rig_prefix); !uri.empty())
      if (auto place = doors.pane_of(uri, agent, presence)) return PaneOfAgent{agent, *place};
  return no_pane(address, presence);
}

}  // namespace townpost
