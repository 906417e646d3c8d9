#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/machine.h"
#include "post/town/store.h"
#include "post/town/town.h"
#include "post/values/address.h"
#include "post/values/agent.h"

namespace townpost {

/// The mailbox of a name that stands for exactly one: for reading, acknowledging, administering. A singleton that
/// nobody has written to yet has id 0 and therefore an empty mailbox. Error: not_found with suggestions, or usage if
/// ambiguous.
Result<Agent> resolve_one(Ledger& ledger, std::string_view name);
/// The same where the name was read before.
Result<Agent> resolve_one(Ledger& ledger, const Destination& destination, std::string_view name);

enum class Unknown { refuse, create };

/// Who an address stands for, now.
struct Resolved {
  std::string spelling;        ///< canonical spelling of what was addressed
  std::vector<Agent> members;  ///< each mailbox once
  bool is_list = false;        ///< pattern, wildcard or group: the sender gets no copy of its own
  std::optional<Queue> queue;
  std::optional<Channel> channel;
  std::vector<std::string> unmatched;  ///< members of a group that stand for nobody now
};

/// The live sessions behind names that nobody in the town has.
struct SeenSessions {
  std::vector<LiveSession> sessions;
  bool by_a_person = false;  ///< a person asks: then a session becomes an agent whatever runs in it
};
/// To be called before the write that resolves these names: inside of it nobody asks another program.
Result<SeenSessions> look_for_sessions(Town& town, const std::vector<std::string>& names, const Caller& caller,
                                       std::string_view argument);

/// Everybody that `name` addresses; registers what is created or seen for the first time. Error: usage, refused for a
/// session that is no agent's, or not_found with the nearest known addresses; then nothing is to be stored.
Result<Resolved> resolve(Ledger& ledger, std::string_view name, const SeenSessions& seen, Instant now, Unknown unknown);

/// Every mailbox that mail can be sent to: agents, singletons of the town and of its rigs. By address.
Result<std::vector<Agent>> deliverable(Ledger& ledger);

/// Of these sessions, those that mail can be sent to by their names, and that nobody has registered yet.
std::vector<LiveSession> unregistered(std::vector<LiveSession> live, const std::vector<Agent>& everyone);
/// What one of them is, for people.
std::string about(const LiveSession& session);

/// "did you mean a, b?" if something is near, else `otherwise`.
NextStep did_you_mean(std::string_view wanted, const std::vector<std::string>& known, NextStep otherwise);

}  // namespace townpost
