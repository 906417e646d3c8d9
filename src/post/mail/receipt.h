#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "post/nudge/reach.h"
#include "post/rules/posting.h"
#include "post/town/town.h"

namespace townpost {

/// What was done to wake a recipient.
struct RecipientState {
  std::string address;  ///< of a mailbox, or `queue:name`, `channel:name`
  ReachState state = ReachState::queued;
  std::string reason;
  std::string nudge;          ///< the entry in the line that tells of it, if there is one
  bool from_outside = false;  ///< somebody has to carry that entry there
};

struct Receipt {
  Message message;
  std::vector<RecipientState> recipients;
  std::vector<RecipientState> followers;  ///< of a channel, whom the post wakes
  bool duplicate = false;                 ///< by rule L5: this is the earlier message
  bool repeated = false;                  ///< by its key: this is the first answer again
  std::vector<std::string> warnings;
};

/// Whom a message went to, as it was stored.
struct Posted {
  Agent sender;
  std::vector<Addressee> addressees;
  Lists lists;
  std::map<AgentId, NudgeId> nudges;  ///< the entries in their lines
};

/// What can be told of them without looking any further: it is stored.
std::vector<RecipientState> stored_states(const Posted& posted);
/// How each of them can be reached now.
struct Reached {
  std::vector<RecipientState> states;
  std::vector<RecipientState> followers;
  std::vector<std::string> warnings;
};
/// One read, then a look at this host: for outside of transactions.
Result<Reached> recipient_states(Town& town, const Posted& posted);

/// In one text, to be told again to whoever repeats a key.
std::string pack_states(const std::vector<RecipientState>& states);
std::vector<RecipientState> unpack_states(std::string_view text);

}  // namespace townpost
