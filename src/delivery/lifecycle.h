#pragma once
#include <optional>
#include <vector>

#include "post/town/settings.h"
#include "post/values/awake.h"
#include "post/values/presence.h"

namespace townpost {

/// What is remembered of an agent between two events. Times are awake times: nothing ends while the machine sleeps.
struct Life {
  AgentState state = AgentState::starting;
  AwakeTime active_at;                     ///< its last sign of work
  std::optional<AwakeTime> idle_deadline;  ///< it is stopped then, if nothing comes
  bool draining = false;
  bool tool_running = false;
  int warned = 0;                      ///< 1: warned, 2: somebody was told, 3: it was to be stopped
  std::optional<AwakeTime> warned_at;  ///< the last warning
  friend bool operator==(const Life&, const Life&) = default;
};

enum class LifeEvent {
  turn_began,
  turn_ended,
  tool_began,
  tool_ended,
  blocked,
  resumed,
  stalled,
  heartbeat,      ///< proof of life, not of work
  work_arrived,   ///< the bell rang
  found_work,     ///< the answer to look_for_work: it is being injected
  found_nothing,  ///< also if the store could not be asked in time
  told_to_drain,
  tick,
  ended,
};

enum class LifeAction {
  look_for_work,  ///< answered by found_work or found_nothing
  stop,           ///< idle for too long: ask it to end
  warn,           ///< silent with work on its hook: nudge it
  escalate,       ///< and tell the mayor
  force_stop,     ///< and end it
};

struct LifeRules {
  RolePolicy policy;
  Gupp gupp;
  bool supervised = false;  ///< ours to stop when it is idle
  bool has_work = false;    ///< a bead on its hook
};

struct LifeStep {
  Life life;
  std::vector<LifeAction> actions;
};

/// The life of an agent as a pure machine: what an event means, and what is to be done.
LifeStep advance(const Life& before, LifeEvent event, AwakeTime now, const LifeRules& rules);

/// When the machine wants a tick, if nothing else happens.
std::optional<AwakeTime> next_tick(const Life& life, const LifeRules& rules);

}  // namespace townpost
