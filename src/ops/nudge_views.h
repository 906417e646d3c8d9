#pragma once
#include "base/json.h"
#include "post/nudge/cares.h"
#include "post/nudge/nudges.h"

namespace townpost::views {

/// Names instead of keys, and deadlines as instants: what a nudge looks like from outside.
struct NudgeNames {
  std::map<AgentId, std::string> addresses;
  AwakeTime awake;
  Instant now;
  static Result<NudgeNames> of(Town& town);
};
JsonObject nudge(const Nudge& nudge, const NudgeNames& names, const Settings& settings);
JsonObject status(const Cares::AgentStatus& status, const Settings& settings, Instant now);
/// One of an agent's sessions.
enum class Receives { no, yes };
JsonObject session(const Presence& session, Receives receives);
JsonArray sessions(const std::vector<Presence>& sessions);  ///< the first one receives
/// A session that nobody is registered for, as an entry of the registry.
JsonObject session(const LiveSession& session);
JsonObject care(const Care& care, const std::string& address, Instant now);

}  // namespace townpost::views
