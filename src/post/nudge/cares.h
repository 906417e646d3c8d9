#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

/// What people decide about agents, and how the town is doing.
class Cares {
 public:
  explicit Cares(Town& town) : town_(town) {}

  /// Do not disturb: for oneself, or by a person for anybody. Nothing: until it is turned off.
  Result<Care> disturb_not(const std::optional<std::string>& whom, std::optional<Millis> length, const Caller& caller);
  Result<Care> disturb_again(const std::optional<std::string>& whom, const Caller& caller);
  Result<Care> care_of(const std::optional<std::string>& whom, const Caller& caller);

  /// Nothing is injected, mail is stored, lives stand still. For people. Nothing: the whole town.
  Result<> hold(const std::optional<std::string>& whom, std::optional<Millis> length, const Caller& caller);
  Result<> release(const std::optional<std::string>& whom, const Caller& caller);

  /// Nothing of this agent is delivered or woken for, until it is lifted. For people.
  Result<Care> quarantine(std::string_view whom, const Caller& caller);
  Result<Care> lift_quarantine(std::string_view whom, const Caller& caller);

  /// The bead an agent works on; empty: none any more. For itself, and for whoever coordinates.
  Result<Care> set_hook(std::string_view whom, const std::string& bead, const Caller& caller);

  struct AgentStatus {
    Agent agent;
    std::optional<Presence> presence;  ///< of the session that receives
    std::vector<Presence> others;      ///< its other windows on this host, the newest first
    Care care;
    std::int64_t pending = 0;
    std::int64_t held = 0;       ///< nudges and mail that a rule holds back from it
    std::int64_t held_sent = 0;  ///< of its own mail: what a rule holds back from somebody
    int hops = 0;                ///< the longest chain of answers that it is in, or sent in within an hour
    std::int64_t unread = 0;
    std::int64_t sent_in_an_hour = 0;
    std::int64_t wakes_in_an_hour = 0;
  };
  struct Status {
    Watch watch;
    std::vector<AgentStatus> agents;    ///< who needs a person first
    std::vector<LiveSession> sessions;  ///< that nobody is registered for
    std::vector<std::string> undone;    ///< what the town could not do in the last week: when and why, newest first
  };
  Result<Status> status();
  /// Who needs a person comes first.
  static void sort(std::vector<AgentStatus>& agents);
  /// The same of some agents; of nobody: of all.
  Result<Status> status(const std::optional<std::set<AgentId>>& only);
  /// The agent's sessions as they are now; the one that receives comes first.
  Result<std::vector<Presence>> sessions(AgentId agent);

 private:
  /// The log tells of it as `told`, if it is of interest to others.
  Result<Care> change(const std::optional<std::string>& whom, const Caller& caller, std::optional<EventKind> told,
                      const std::function<Result<>(Ledger&, Care&, Instant)>& how);
  Town& town_;
};

}  // namespace townpost
