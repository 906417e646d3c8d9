#pragma once
#include <optional>
#include <string>

#include "delivery/session_doors.h"
#include "post/town/town.h"

namespace townpost {

// Between its start and its first turn a harness may show a list of its own: a question of trust, a theme, earlier
// conversations, news of an update. Its hooks say nothing of that, only its screen does.

/// Whether the screen of this session has to say how it is: its hooks, or its supervisor, told of its start and of
/// nothing since.
bool may_show_first_list(const Agent& agent, const Presence& presence);

/// Looks at that screen, in seconds once whoever asks, and notes what it says: blocked, with the question, or not. The
/// presence if that has changed. Asks tmux, so never in a transaction or a hook.
std::optional<Presence> look_at_first_screen(Town& town, SessionDoors& doors, const Agent& agent,
                                             const Presence& presence, const std::string& host);

/// The same for an agent that is unknown, whose last session is over, or that has no hooks and was seen at a list: how
/// it looks behind `uri` now, if it is blocked there. Notes nothing.
std::optional<Presence> seen_at_a_list(SessionDoors& doors, const Agent& agent, const Presence& presence,
                                       const std::string& uri);

}  // namespace townpost
