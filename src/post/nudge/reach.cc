#include "post/nudge/reach.h"

#include <algorithm>

#include "base/child.h"
#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

std::vector<std::string> obstacles_in(const Presence& presence) {
  std::vector<std::string> out;
  const auto note = [&](std::string_view words) {
    out.push_back(presence.detail.empty() ? std::string(words) : cat(words, ": ", presence.detail));
  };
  if (presence.state == AgentState::blocked) note("it is blocked and waits for a person");
  if (presence.state == AgentState::stalled) note("its model does not answer");
  if (presence.state == AgentState::deaf) note("it is deaf: its hooks had to be refused");
  if (presence.state == AgentState::unknown && !presence.detail.empty())
    note(presence.session.starts_with("tmux:") ? "nothing is typed into its terminal" : "its session does not answer");
  if (presence.draft_since.ms != 0)
    out.push_back(cat("a person's draft stands in its input line since ", rfc3339(presence.draft_since)));
  return out;
}

Result<Reach> reach_of(Town& town, Ledger& ledger, const Agent& agent) {
  Reach reach{.state = "queued"};
  const Instant now = town.clock.now();
  TRY(presence, seen_presence(town, ledger, agent.id));
  const bool live = presence && !is_over(presence->state);
  const std::string session = !agent.session.empty() ? agent.session : live ? presence->session : std::string();
  if (!presence && session.empty()) {
    reach.state = "no-session";
    reach.in_the_way.emplace_back("no session is registered; it waits in the inbox");
  } else if (presence && !live) {
    reach.state = "asleep";
    const std::string where = session.empty() ? std::string() : cat(" (", shown_session(session), ")");
    reach.in_the_way.push_back(cat(over_text(presence->state), where, "; its next session is shown it first"));
  } else if (presence) {
    reach.in_the_way = obstacles_in(*presence);
    const bool needs_help = presence->state == AgentState::blocked || presence->state == AgentState::stalled ||
                            presence->state == AgentState::deaf;
    if (needs_help) reach.state = "blocked";
    if (presence->state == AgentState::running)
      reach.in_the_way.emplace_back("it works; it is told at its next idle moment");
  }
  // Hooks speak at the next boundary, a waiting one at once; an idle session without one has to be spoken to.
  const bool hooks_ask = live && presence->harness == "claude" &&
                         (!is_idle(presence->state) || has_waiter(town, agent.id) || !session.starts_with("tmux:"));
  const bool asks_itself = hooks_ask || (live && presence->harness == "stream");
  const bool elsewhere = presence && !presence->host.empty() && presence->host != host_name();
  reach.from_outside = !asks_itself && !session.empty() && !elsewhere;
  reach.how = hooks_ask         ? "its hooks bring it"
              : asks_itself     ? "its supervisor brings it"
              : session.empty() ? ""
              : elsewhere
                  ? cat("gt up on ", presence->host, " carries it")
                  : cat(watcher_of(town.folder) ? "gt up carries it to " : "it is carried to ", shown_session(session));
  TRY(care, ledger.care(agent.id));
  TRY(watch, ledger.watch());
  const auto decided = [&](std::string_view state, std::string_view words) {
    reach.state = state;
    reach.in_the_way.insert(reach.in_the_way.begin(), std::string(words));
  };
  if (live) {
    TRY(ruling, wakes_held(town, ledger, agent.id));
    if (ruling) decided("held", cat("rule ", ruling->reason));
  }
  if (care.dnd(now)) decided("muted", "it does not want to be disturbed (gt dnd)");
  if (care.held(now)) decided("held", cat("it is held (gt release ", agent.address.str(), ")"));
  if (watch.held(now)) decided("held", "the whole town is held (gt release --all)");
  return reach;
}

}  // namespace townpost
