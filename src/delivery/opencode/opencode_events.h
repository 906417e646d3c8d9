#pragma once
#include <optional>
#include <string_view>

#include "delivery/session/agent_session.h"

namespace townpost {

/// What one event of an OpenCode server says; `data` is the JSON of its data lines, from /event or /global/event. Names
/// the session where the event does (subagents have sessions of their own). Nothing if it is no such event.
std::optional<SessionEvent> opencode_event(std::string_view data);

}  // namespace townpost
