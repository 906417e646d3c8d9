#include "post/nudge/reach.h"

#include <array>
#include <map>

#include "base/advice.h"
#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/nudge/reports.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 6> kReachStates = {"queued", "held", "muted", "blocked", "asleep", "no-session"};
static_assert(kReachStates.size() == static_cast<std::size_t>(last_value(ReachState{})) + 1);

}  // namespace

std::vector<std::string_view> reach_state_names() { return {kReachStates.begin(), kReachStates.end()}; }
std::string_view name(ReachState state) { return kReachStates[static_cast<std::size_t>(state)]; }

std::optional<ReachState> find_reach_state(std::string_view text) {
  for (std::size_t i = 0; i < kReachStates.size(); ++i)
    if (kReachStates[i] == text) return static_cast<ReachState>(i);
  return std::nullopt;
}

std::vector<std::string> obstacles_in(const Presence& presence) {
  std::vector<std::string> out;
  const auto note = [&](std::string_view words) {
    out.push_back(presence.detail.empty() ? std::string(words) : cat(words, ": ", presence.detail));
  };
  if (presence.state == AgentState::blocked) note("it is blocked and waits for a person");
  if (presence.state == AgentState::stalled) note("its model does not answer");
  if (presence.state == AgentState::starting)
    note(presence.harness.is(Harness::Kind::stream) ? "it has not said yet that it is idle" : "it is still starting");
  if (presence.state == AgentState::deaf) note("it is deaf, its hooks do not answer");
  if (presence.state == AgentState::unknown && !presence.detail.empty())
    note(presence.session.starts_with("tmux:") ? "nothing is typed into its terminal" : "its session does not answer");
  if (presence.draft_since.ms != 0)
    out.push_back(cat("a person's draft has been in its input line since ", rfc3339(presence.draft_since)));
  return out;
}

std::vector<Decision> decisions_about(const Agent& agent, const Care& care, const Watch& watch, Forced forced,
                                      Instant now) {
  std::vector<Decision> out;
  if (watch.held(now))
    out.push_back({ReachState::held, cat("the whole town is held: ", called("release", {{"all", ""}}))});
  if (care.held(now))
    out.push_back({ReachState::held, cat("it is held: ", called("release", {{"agent", agent.address.str()}}))});
  if (care.dnd(now) && forced == Forced::no)
    out.push_back({ReachState::muted, cat("do-not-disturb is on: ", called("dnd.status"))});
  return out;
}

namespace {

bool is_person(const Agent& agent) { return agent.address.role() == Role::human; }
/// Where a person finds what waits for them.
std::string shown_to_people() { return cat(called("todo"), " shows it to the person"); }

}  // namespace

Way way_to(const Agent& agent, const std::optional<Presence>& presence, const std::function<bool()>& has_waiter,
           const std::string& host) {
  const bool live = presence && !is_over(presence->state);
  const bool elsewhere = presence && !presence->host.empty() && presence->host != host;
  if (live && presence->harness.is(Harness::Kind::stream) && presence->supervised)
    return {.carrier = Carrier::supervisor, .note = "its supervisor delivers it"};
  if (live && presence->harness.is(Harness::Kind::hooked)) {
    const auto by_hooks = [](std::string note) { return Way{.carrier = Carrier::hooks, .note = std::move(note)}; };
    if (elsewhere) return by_hooks(cat("its hooks on host ", presence->host, " deliver it"));
    const bool in_terminal = presence->session.starts_with("tmux:");
    if (presence->state == AgentState::deaf && in_terminal)
      return {.carrier = Carrier::courier, .session = presence->session};
    if (presence->state == AgentState::deaf) return by_hooks("it is deaf: its hooks do not answer");
    if (!is_idle(presence->state)) return by_hooks("its hooks deliver it at the next boundary");
    if (has_waiter()) return by_hooks("its waiting hook delivers it");
    if (!in_terminal) return by_hooks("its hooks deliver it with the next prompt");
    return {.carrier = Carrier::trigger, .session = presence->session};
  }
  if (elsewhere && (live || !agent.session.empty()))
    return {.carrier = Carrier::another_host,
            .note = cat("it is on host ", presence->host, "; ", called("up"), " there carries it")};
  if (!agent.session.empty()) return {.carrier = Carrier::courier, .session = agent.session};
  if (live && presence->harness == reported_harness() && presence->session.empty())
    return {.carrier = Carrier::hooks, .note = "its runner asks for it"};
  if (live && !presence->session.empty()) return {.carrier = Carrier::courier, .session = presence->session};
  if (!presence && is_person(agent)) return {.note = shown_to_people()};
  if (!presence) return {.note = "it is not running; its next session is shown it first"};
  if (live)
    return {.note = cat(presence->detail.empty() ? "nothing brings it to its session" : presence->detail,
                        "; its next session is shown it first")};
  return {.note = cat(over_text(presence->state), "; its next session is shown it first")};
}

Result<ReachFacts> reach_facts(Town& town, Ledger& ledger, AgentId agent) {
  TRY(found, reach_facts(town, ledger, std::vector{agent}));
  return std::move(found.front());
}

Result<std::vector<ReachFacts>> reach_facts(Town& town, Ledger& ledger, const std::vector<AgentId>& agents) {
  std::vector<ReachFacts> out;
  if (agents.empty()) return out;
  TRY(watch, ledger.watch());
  TRY(presences, ledger.presences_of(agents));
  TRY(cares, ledger.cares_of(agents));
  TRY(lines, ledger.pending_nudges_of(agents));
  std::map<AgentId, ReachFacts> known;
  for (const auto agent : agents)
    known[agent] = {.presence = {agent, std::nullopt, false}, .care = {.agent = agent}, .watch = watch};
  for (auto& presence : presences) known[presence.agent].presence.presence = std::move(presence);
  for (auto& nudge : lines) known[nudge.target].line.push_back(std::move(nudge));
  for (auto& care : cares) {
    known[care.agent].presence.quarantined = care.quarantined_at.has_value();
    known[care.agent].care = std::move(care);
  }
  WakeRule wakes(ledger, town.settings.limits, town.clock.now());
  for (const auto agent : agents) {
    auto& facts = known[agent];
    TRY(ruling, wakes_held(wakes, agent, facts.line));
    facts.wakes_held = ruling;
    out.push_back(std::move(facts));
  }
  return out;
}

bool HostLook::is_watched() {
  if (!watched_) watched_ = watcher_of(town_.folder).has_value();
  return *watched_;
}

Reach HostLook::reach(const Agent& agent, const ReachFacts& facts) {
  Reach reach;
  const Instant now = town_.clock.now();
  const bool is_known = facts.presence.presence || words_.of(facts.presence.agent);
  const auto presence = is_known ? seen_presence(town_, facts.presence) : std::nullopt;
  const bool live = presence && !is_over(presence->state);
  const std::string session = !agent.session.empty() ? agent.session : live ? presence->session : std::string();
  if (!presence && session.empty()) {
    reach.state = ReachState::no_session;
    reach.in_the_way.push_back(is_person(agent) ? shown_to_people()
                                                : "it is not running; its next session is shown it first");
  } else if (presence && !live) {
    reach.state = ReachState::asleep;
    const std::string where = session.empty() ? std::string() : cat(" (", shown_session(session), ")");
    reach.in_the_way.push_back(cat(over_text(presence->state), where, "; its next session is shown it first"));
  } else if (presence) {
    reach.in_the_way = obstacles_in(*presence);
    const bool needs_help = presence->state == AgentState::blocked || presence->state == AgentState::stalled ||
                            presence->state == AgentState::deaf;
    if (needs_help) reach.state = ReachState::blocked;
    if (presence->state == AgentState::running)
      reach.in_the_way.emplace_back("it is busy; it gets it at its next idle moment");
  }
  const auto way = way_to(
      agent, presence, [&] { return has_waiter(town_, agent.id, presence->incarnation); }, this_host());
  reach.from_outside = way.from_outside();
  switch (way.carrier) {
    case Carrier::nobody:
      break;
    case Carrier::supervisor:
      reach.how = "its supervisor brings it";
      break;
    case Carrier::hooks:
      reach.how = "its hooks bring it";
      break;
    case Carrier::another_host:
      reach.how = cat(called("up"), " on ", presence->host, " carries it");
      break;
    case Carrier::trigger:
    case Carrier::courier:
      reach.how =
          cat(is_watched() ? cat(called("up"), " carries it to ") : "it is carried to ", shown_session(way.session));
      break;
  }
  auto decided = decisions_about(agent, facts.care, facts.watch, Forced::no, now);
  if (live && facts.wakes_held) decided.push_back({ReachState::held, cat("rule ", facts.wakes_held->reason)});
  if (!decided.empty()) reach.state = decided.front().state;
  for (auto it = decided.rbegin(); it != decided.rend(); ++it)
    reach.in_the_way.insert(reach.in_the_way.begin(), std::move(it->words));
  return reach;
}

}  // namespace townpost
