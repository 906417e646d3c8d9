#pragma once
#include "post/town/store.h"

namespace townpost {

/// The oldest instant whose posts still count; posts that are past their age are not shown even before they are pruned.
Instant oldest_shown(const Channel& channel, Instant now);

enum class Slack {
  none,        ///< after a post: exactly what the limits allow stays
  ten_percent  ///< by patrol: nothing is done for up to a tenth too many, then it goes down to the limit
};

/// Removes the posts that no limit of the channel lets stay, read or not, and records each. Updates `channel` (also in
/// the store). How many.
Result<std::int64_t> prune(Ledger& ledger, Channel& channel, Instant now, Slack slack);

/// Sees to it that posts are pruned when they are past their age, without a daemon: notes a duty if none is noted.
Result<> note_prune_by_age(Ledger& ledger, Channel& channel);

}  // namespace townpost
