#pragma once
#include <optional>

#include "delivery/claude/claude_event.h"
#include "post/values/presence.h"

namespace townpost {

struct ClaudeSurroundings;

/// What a session is to its agent when it speaks.
enum class SessionStanding {
  receives,  ///< the agent's own: what waits is for it
  beside,    ///< another window of the agent: it is listed, and receives when the newer ones have ended
  helps,     ///< it runs inside another session of the agent, and takes nothing from it
};

/// `receiving`: the session that receives now, as it was noted last.
SessionStanding standing_of(const PresenceFiles& files, AgentId agent, const std::optional<Presence>& receiving,
                            const ClaudeEvent& event, const ClaudeSurroundings& here);

/// The session of this event receives from now on; the one that did so far stays beside it, if it lives.
void take_over(const PresenceFiles& files, AgentId agent, const std::optional<Presence>& receiving,
               const ClaudeEvent& event, const ClaudeSurroundings& here);

}  // namespace townpost
