#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "post/values/agent.h"
#include "post/values/event.h"
#include "post/values/nudge.h"
#include "post/values/presence.h"

namespace townpost {

class Ledger;

/// Which nudges, newest first.
struct NudgeQuery {
  std::optional<AgentId> target;
  std::optional<NudgeState> state;
  int limit = 50;
};

/// Nudges, as one transaction sees them. Belongs to the thread of its transaction.
class NudgeLedger {
 public:
  virtual ~NudgeLedger() = default;
  /// Takes the next `count` numbers; the first of them.
  virtual Result<std::int64_t> next_nudge_seq(std::int64_t count = 1) = 0;
  virtual Result<> add_nudge(const Nudge& nudge) = 0;
  virtual Result<> update_nudge(const Nudge& nudge) = 0;
  virtual Result<std::optional<Nudge>> nudge(NudgeId id) = 0;
  /// What is not ended, in the order it is to be delivered: urgent first, then by place.
  virtual Result<std::vector<Nudge>> pending_nudges(AgentId target) = 0;
  /// The same for many targets at once, by target.
  virtual Result<std::vector<Nudge>> pending_nudges_of(const std::vector<AgentId>& targets) = 0;
  virtual Result<std::vector<AgentId>> agents_with_nudges() = 0;
  virtual Result<std::vector<Nudge>> nudges(const NudgeQuery& query) = 0;
  /// Not ended, and their life (or the time before somebody is told) is over; at most `most`.
  virtual Result<std::vector<Nudge>> outlived_nudges(AwakeTime now, int most) = 0;
  virtual Result<std::vector<Nudge>> overdue_nudges(AwakeTime now, int most) = 0;
  /// When the next of these comes.
  virtual Result<std::optional<AwakeTime>> next_nudge_deadline() = 0;
  /// When `sender` sent its nudges within `window`, newest first, at most `most`; with `target`, only those to it.
  virtual Result<std::vector<Instant>> nudge_times(AgentId sender, std::optional<AgentId> target, Window window,
                                                   int most) = 0;
  virtual Result<> erase_ended_nudges(Instant before, int most) = 0;
};

/// The life of agents and of the town, as one transaction sees them. Belongs to the thread of its transaction.
class LifeLedger {
 public:
  virtual ~LifeLedger() = default;
  virtual Result<std::optional<Presence>> presence(AgentId agent) = 0;
  virtual Result<std::vector<Presence>> presences() = 0;
  virtual Result<std::vector<Presence>> presences_of(const std::vector<AgentId>& agents) = 0;
  /// If its state is another one than before, the log says so.
  virtual Result<> set_presence(const Presence& presence) = 0;
  virtual Result<Care> care(AgentId agent) = 0;  ///< an ordinary one if nothing was decided
  virtual Result<std::vector<Care>> cares() = 0;
  virtual Result<std::vector<Care>> cares_of(const std::vector<AgentId>& agents) = 0;  ///< that were decided
  virtual Result<std::vector<Agent>> quarantined_agents() = 0;
  virtual Result<> set_care(const Care& care) = 0;
  virtual Result<Watch> watch() = 0;
  virtual Result<> set_watch(const Watch& watch) = 0;
  virtual Result<> add_wake(const Wake& wake) = 0;
  /// When agents woke `agent` within `window`, newest first, at most `most`.
  virtual Result<std::vector<Instant>> wakes_by_agents(AgentId agent, bool urgent, Window window, int most) = 0;
  virtual Result<std::int64_t> count_wakes_by_agents(Window window) = 0;
  virtual Result<std::int64_t> count_wakes(AgentId agent, Window window) = 0;
  /// Everybody's, in no order.
  virtual Result<std::vector<Wake>> wakes(Window window) = 0;
  virtual Result<> forget_wakes(Instant before) = 0;
};

/// Notes in the log what happened to the nudge.
Result<> note_nudge(Ledger& ledger, const Nudge& nudge, EventKind kind, std::string detail, Instant now);

/// Ends the nudge in this state, once: with its event.
Result<> end_nudge(Ledger& ledger, Nudge nudge, NudgeState state, std::string_view why, Instant now);

}  // namespace townpost
