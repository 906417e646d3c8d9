#pragma once
#include <vector>

#include "ops/call.h"
#include "post/nudge/cares.h"

namespace townpost {

/// When a person looks, the screens of sessions that have only just begun are looked at, too: a list that a harness
/// shows there is nothing that its hooks tell. What is found stands in `agents`.
void look_at_first_screens(Call& call, Town& town, std::vector<Cares::AgentStatus>& agents);

/// The same for one agent: what is asked of it next finds what was seen.
void look_at_first_screen_of(Call& call, Town& town, AgentId agent);

}  // namespace townpost
