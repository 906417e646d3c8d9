#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/store.h"

namespace townpost {

/// How far a message has come: its copy in a mailbox, or itself in a queue or on a channel.
enum class StandingState {
  waiting,
  offered,
  delivered,
  read,
  acked,
  archived,
  deleted,
  available,
  processing,
  completed,
  dead,
  posted,
  recalled,
};
constexpr StandingState last_value(StandingState) { return StandingState::recalled; }
std::vector<std::string_view> standing_state_names();
std::string_view name(StandingState state);

/// Where a message's copy in one mailbox stands, or the message itself in a list.
struct Standing {
  std::string address;
  bool copy = false;  ///< by cc
  Delivery delivery;
  StandingState state = StandingState::waiting;
  std::string why;  ///< what stands in the way now; empty if nothing does
  bool for_previous_holder = false;
};

StandingState state_of(const Delivery& copy);
/// Where the message stands in the queue and on the channel that it was sent to, if it was.
Result<std::vector<Standing>> list_standings(Ledger& ledger, const Message& message, const Caller& reader, Instant now);

}  // namespace townpost
