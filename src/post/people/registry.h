#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/people/caller.h"
#include "post/town/machine.h"
#include "post/town/town.h"
#include "post/values/agent.h"

namespace townpost {

/// The town's people: rigs, agents and their names.
class Registry {
 public:
  explicit Registry(Town& town) : town_(town) {}

  struct NewRig {
    std::string name;
    std::string path;
    std::string prefix;  ///< empty: derived from the name
    std::string target = "main";
    std::string test_command;
  };
  Result<Rig> add_rig(const NewRig& wanted);
  Result<std::vector<Rig>> rigs();
  Result<Rig> rig(std::string_view name);
  Result<> remove_rig(std::string_view name);

  struct NewAgent {
    std::string address;
    std::string session;
    std::string description;
    std::string start_command;
    std::string resume_command;
    StartOn start_on = StartOn::never;
    std::string host;          ///< where the session is, if it can be reached from one host only
    std::string harness = {};  ///< see Agent
    std::string pane_process = {};
    bool no_session = false;  ///< it has none any more
  };
  /// Registers the agent, or changes what is given of one that is there already. A session that was another's is no
  /// longer: the latest wins. Who does not coordinate may name no session but the pane it runs in. The human is none.
  Result<Agent> add_agent(NewAgent wanted, const Caller& caller);
  Result<std::vector<Agent>> agents();
  /// The live sessions that nobody is registered for, and that can be written to nevertheless.
  Result<std::vector<LiveSession>> sessions();
  Result<Agent> agent(std::string_view address);
  Result<std::vector<std::string>> aliases(const Agent& agent);
  /// Its mail stays; its address no longer takes any. What waited in its line is dropped.
  Result<> remove_agent(std::string_view address);
  /// `old_name` becomes another name of `new_name`: an agent known as `old_name` is renamed, or merged if both are
  /// known. The human, the town's and the rigs' singletons are neither renamed nor become heirs.
  struct Renamed {
    Agent agent;
    std::string merged;  ///< who is no agent of its own any more, because NEW was one already; else empty
  };
  Result<Renamed> alias(std::string_view old_name, std::string_view new_name);
  /// Ends the hold of rule L3 on the agent's outgoing mail; what is still unread of it may wake others now.
  Result<Agent> release(std::string_view address, const Caller& caller);

 private:
  Town& town_;
};

/// The agent of a canonical address, registered now if it is not there. Singletons of a rig need no registration.
Result<Agent> ensure_agent(Ledger& ledger, const Address& address, Instant now);

/// "gp" for "greenplace"-like names: short, lower case, not among `taken`.
std::string derive_prefix(std::string_view rig_name, const std::vector<std::string>& taken);

}  // namespace townpost
