#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

/// How an agent can be reached now.
struct Reach {
  std::string state;                    ///< queued, held, muted, asleep, blocked or no-session, as in a receipt
  std::vector<std::string> in_the_way;  ///< for people, the weightiest first
  std::string how;                      ///< how it will be told, if nothing is in the way
  bool from_outside = false;            ///< somebody must carry it there: no hook or supervisor asks for it
};
/// What keeps a session from taking a turn: a dialog, a model that does not answer, refused hooks, a draft.
std::vector<std::string> obstacles_in(const Presence& presence);
Result<Reach> reach_of(Town& town, Ledger& ledger, const Agent& agent);

}  // namespace townpost
