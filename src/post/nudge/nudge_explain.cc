// Why a nudge is where it is: its history, and what stands in its way now.
#include <algorithm>

#include "base/text.h"
#include "post/nudge/nudges.h"
#include "post/nudge/reach.h"
#include "post/rules/withheld.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

/// What the store knows of a nudge that waits.
struct Waiting {
  Agent agent;  ///< its target
  ReachFacts target;
  Care sender;
};

/// What holds it, whoever could carry it: somebody's decision, a rule, a session that takes nothing.
std::vector<std::string> holds_on(const Nudge& nudge, const Waiting& waiting, const std::optional<Presence>& presence,
                                  Instant now) {
  std::vector<std::string> out;
  const auto held = [&](std::string text) { out.push_back(std::move(text)); };
  const auto& [agent, target, sender] = waiting;
  if (nudge.deliver_after > now) held(cat("it is due after ", rfc3339(nudge.deliver_after)));
  const auto forced = nudge.forced ? Forced::yes : Forced::no;
  for (auto& decision : decisions_about(agent, target.care, target.watch, forced, now))
    held(cat("its target: ", decision.words));
  if (sender.quarantined_at) held("its sender is quarantined");
  if (!nudge.held_by.empty()) held(cat("rule ", nudge.held_by, " lets it wake nobody; it is shown at the next prompt"));
  if (target.wakes_held && nudge.held_by.empty() && nudge.mode != NudgeMode::queue)
    held(cat("rule ", target.wakes_held->reason, "; it is shown at the next prompt, or then"));
  if (presence && (presence->state == AgentState::blocked || presence->state == AgentState::stalled))
    for (auto& obstacle : obstacles_in(*presence)) held(cat("its target: ", obstacle));
  return out;
}

/// Everything that keeps it from being shown now. Looks at this host, too.
std::vector<std::string> obstacles_of(const Town& town, const Nudge& nudge, const Waiting& waiting) {
  const Instant now = town.clock.now();
  const auto& target = waiting.target;
  const auto presence = seen_presence(town, target.presence);
  std::vector<std::string> out = holds_on(nudge, waiting, presence, now);
  const auto in_the_way = [&](std::string text) {
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  if (!presence) in_the_way("its target: it is not running");
  if (presence && is_over(presence->state)) in_the_way(cat("its target: ", over_text(presence->state)));
  if (presence)
    for (auto& obstacle : obstacles_in(*presence)) in_the_way(cat("its target: ", obstacle));
  if (presence && presence->state == AgentState::running && nudge.mode != NudgeMode::immediate)
    in_the_way("its target is busy; it waits for the end of the turn");
  if (presence && is_idle(presence->state) && nudge.mode == NudgeMode::queue)
    in_the_way("its target is idle, and this mode wakes nobody");
  if (nudge.retry_at)
    in_the_way(cat("the last attempt failed", nudge.last_error.empty() ? "" : cat(": ", nudge.last_error)));
  for (const auto& other : target.line) {
    if (other.id == nudge.id) break;
    // What is shown at another moment, or later, does not hold it up.
    if (other.mode == NudgeMode::queue || other.deliver_after > now || other.kind == NudgeKind::mail ||
        (nudge.mode == NudgeMode::immediate && other.mode != NudgeMode::immediate))
      continue;
    in_the_way(cat(other.id.str(), " is before it"));
    break;
  }
  return out;
}

Result<Waiting> waiting_of(Town& town, Ledger& ledger, const Nudge& nudge) {
  TRY(agent, ledger.agent(nudge.target));
  if (!agent) return fail(Code::not_found, cat("the target of ", nudge.id.str(), " is gone"));
  TRY(target, reach_facts(town, ledger, nudge.target));
  TRY(sender, ledger.care(nudge.sender));
  return Waiting{std::move(*agent), std::move(target), sender};
}

}  // namespace

Result<std::string> Nudges::held_by(NudgeId id, const Caller& reader) {
  TRY(nudge, show(id, reader));
  if (nudge.state != NudgeState::queued) return std::string();
  TRY(waiting, read_value(town_.store, [&](Ledger& ledger) { return waiting_of(town_, ledger, nudge); }));
  return join(holds_on(nudge, waiting, seen_presence(town_, waiting.target.presence), town_.clock.now()), "; ");
}

Result<Nudges::History> Nudges::explain(NudgeId id, const Caller& reader) {
  TRY(nudge, show(id, reader));
  std::optional<Waiting> waiting;
  TRY(out, read_value(town_.store, [&](Ledger& ledger) -> Result<History> {
        History history{nudge, {}, {}};
        waiting.reset();
        TRY(events, ledger.events_of(id));
        TRY(withheld, Withheld::from_reader(ledger, reader));
        for (auto& event : events) withheld.strip(event, nudge);
        history.events = std::move(events);
        if (is_terminal(nudge.state)) return history;
        if (nudge.state != NudgeState::queued) {
          history.in_the_way.emplace_back(nudge.state == NudgeState::handed
                                              ? "nothing: its session has it, and has not shown it yet"
                                              : "nothing: it is being carried");
          return history;
        }
        TRY(known, waiting_of(town_, ledger, nudge));
        waiting = std::move(known);
        return history;
      }));
  if (waiting) out.in_the_way = obstacles_of(town_, nudge, *waiting);
  return out;
}

}  // namespace townpost
