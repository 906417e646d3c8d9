#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

/// What the service that runs an agent reports about it.
enum class Reported { started, busy, idle, exited, heartbeat };
constexpr Reported last_value(Reported) { return Reported::heartbeat; }
std::vector<std::string_view> reported_names();
std::optional<Reported> find_reported(std::string_view text);

/// The harness of an agent whose state is reported so.
Harness reported_harness();

/// Notes a report as the agent's presence. What waits goes on by it. Error: refused, where the agent has a session that
/// we see ourselves: a report must not stand in its place.
Result<Presence> report(Town& town, const Agent& agent, Reported what, std::string_view detail);

}  // namespace townpost
