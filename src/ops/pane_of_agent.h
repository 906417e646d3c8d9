#pragma once
#include <string>

#include "ops/call.h"
#include "post/values/agent.h"

namespace townpost {

/// The agent of this name, and the tmux pane that it is in now, checked as whoever types into it checks it.
struct PaneOfAgent {
  Agent agent;
  PanePlace place;
};
/// Error: not_found with where else the agent is and what to do, forbidden if the pane is another's by now.
Result<PaneOfAgent> pane_of_agent(Call& call, const std::string& name);

}  // namespace townpost
