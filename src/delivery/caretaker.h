#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "delivery/courier.h"
#include "delivery/lifecycle.h"
#include "delivery/starter.h"

namespace townpost {

/// What is known of an agent that is looked after.
struct Charge {
  Agent agent;
  Presence presence;
  Care care;
  bool waits = false;  ///< nudges are in its line
};

/// Looks after one agent at a time: carries to it what must be carried from outside, tells people that it is blocked,
/// warns it when it is silent, and starts it where that is wanted. For one thread.
class Caretaker {
 public:
  Caretaker(Town& town, SessionDoors& doors, Starter& starter, std::string host)
      : town_(town), doors_(doors), starter_(starter), host_(std::move(host)), files_(town.folder) {}

  /// Everything that can be done for it now. When to look again, if nothing happens there.
  Result<Instant> look_after(Charge& charge);
  /// Whether a glance from outside tells that it should be looked after: its process is gone, or somebody sits in a
  /// terminal of its name, or its session tells nothing by itself. Asks no store and reads no file of the town.
  bool is_to_be_looked_after(const Agent& agent, const Presence& presence);
  /// Whether such a glance can tell anything.
  bool can_be_glanced_at(const Agent& agent, const Presence& presence) const;
  /// Whether it is served from this host.
  bool is_ours(const Presence& presence) const { return presence.host.empty() || presence.host == host_; }
  /// Where it has a session of a server, unless its supervisor listens there; else empty.
  static std::string server_of(const Agent& agent, const Presence& presence);
  void know_rigs(std::vector<Rig> rigs) { rigs_ = std::move(rigs); }
  void forget(AgentId agent);

 private:
  void look_at_server(const Charge& charge);
  void see_first_list(Charge& charge);
  Result<> greet_if_there(Charge& charge);
  Result<> tell_if_blocked(const Charge& charge);
  Result<> climb_ladder(Charge& charge);
  Result<> start_if_wanted(const Charge& charge);
  void see_silent_end(Charge& charge);
  Result<> bring_what_waits(const Charge& charge);
  void tell_of_draft(const Charge& charge);
  std::string terminal_of(const Agent& agent, const Presence& presence);
  bool is_time_to_look(AgentId agent);
  void come_again(Instant at) {
    if (at < next_) next_ = at;
  }

  Town& town_;
  SessionDoors& doors_;
  Starter& starter_;
  std::string host_;
  PresenceFiles files_;
  std::vector<Rig> rigs_;
  std::map<AgentId, Instant> looked_at_;   ///< sessions that tell us only what changes, or nothing
  std::map<AgentId, Instant> draft_told_;  ///< when people were told that their draft is in the way
  std::set<AgentId> seen_busy_;            ///< at the last look, with something waiting
  Instant next_;                           ///< when to look at the agent again that is looked after now
};

}  // namespace townpost
