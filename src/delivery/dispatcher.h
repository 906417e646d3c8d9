#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "delivery/agenda.h"
#include "delivery/caretaker.h"
#include "delivery/opencode/opencode_watch.h"
#include "post/town/bell.h"

namespace townpost {

/// Watches over one host's agents: knows where something happened and whose time has come, and has only these looked
/// after. The whole town is looked at in portions: at first, when rings were missed, and every few minutes. For one
/// thread.
class Dispatcher {
 public:
  Dispatcher(Town& town, SessionDoors& doors, Starter& starter, std::string host);

  /// The folder whose files it must hear of, besides all bells.
  const std::filesystem::path& presences() const { return files_.folder(); }
  /// What else ends a wait.
  std::vector<int> descriptors() const { return servers_.descriptors(); }
  /// What happened since the last round.
  void hear(const Heard& heard);
  /// Everything that can be done now. When to come again, at the latest.
  Result<Instant> round();

 private:
  /// What is known of an agent while nothing happens there.
  struct Kept {
    Agent agent;
    Presence presence;
    Instant look_at;  ///< until then a glance is enough
  };
  Result<> look_at_registry(Instant now);
  void hear_servers();
  std::set<AgentId> whom_to_look_after(Instant now);
  Result<std::vector<Charge>> fold_presences(const std::set<AgentId>& whom);
  void keep(const Charge& charge, Instant look_at, Instant now);
  void forget(AgentId agent);
  void follow_servers();

  Town& town_;
  Starter& starter_;
  PresenceFiles files_;
  Caretaker caretaker_;
  Agenda agenda_;
  std::map<AgentId, Kept> kept_;
  bool registry_rang_ = true;  ///< nothing is known yet
  Instant registry_seen_;
  OpencodeWatch servers_;
  std::map<AgentId, OpencodeAddress> at_servers_;
  bool is_following_ = true;  ///< the servers of all these are listened to
};

}  // namespace townpost
