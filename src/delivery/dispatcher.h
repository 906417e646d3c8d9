#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/folder_watch.h"
#include "delivery/courier.h"
#include "delivery/lifecycle.h"
#include "delivery/opencode/opencode_watch.h"

namespace townpost {

/// Starts agents for what waits for them; handed in, so that a town can be tested without programs.
class Starter {
 public:
  virtual ~Starter() = default;
  /// `session` is what `{session}` in the command stands for: a word of its own for its shell, never a part of it.
  virtual Result<> start(const Agent& agent, const std::string& command, const std::string& session) = 0;
  /// Whether a `gt agent run` of this host has the agent's program, and ends it when it is told to.
  virtual bool can_stop(const Agent& agent) = 0;
  virtual void stop(const Agent& agent) = 0;
  virtual bool is_alive(const Presence& presence) = 0;
};

/// Watches over one host's agents: carries nudges to those that must be reached from outside, ends what outlived its
/// time, tells people who is blocked, warns the silent, and starts the exited where that is wanted.
class Dispatcher {
 public:
  Dispatcher(Town& town, SessionDoors& doors, Starter& starter, std::string host);

  /// Everything that can be done now. When to come again, at the latest.
  Result<Instant> round();
  /// Sleeps until something may be to do, or `another` can be read.
  void wait_until(Instant at, int another = -1);

 private:
  struct Known {
    Agent agent;
    Presence presence;
    Care care;
    bool waits = false;  ///< nudges are in its line
  };
  Result<std::vector<Known>> fold_presences();
  void hear_servers();
  Result<> look_after(Known& known);
  Result<> tell_if_blocked(Known& known);
  Result<> climb_ladder(Known& known);
  Result<> start_if_wanted(const Known& known);
  Result<> greet_if_there(Known& known);
  void see_silent_end(Known& known);
  void tell_of_draft(const Known& known);
  bool is_time_to_look(AgentId agent);
  void come_again(Instant at) {
    if (at < next_) next_ = at;
  }

  Town& town_;
  SessionDoors& doors_;
  Starter& starter_;
  std::string host_;
  PresenceFiles files_;
  FolderWatch presences_;
  OpencodeWatch servers_;
  std::map<AgentId, Instant> looked_at_;   ///< sessions that tell us only what changes, or nothing
  std::map<AgentId, Instant> draft_told_;  ///< when people were told that their draft is in the way
  std::set<AgentId> seen_busy_;            ///< at the last look, with something waiting
  Instant next_;
};

}  // namespace townpost
