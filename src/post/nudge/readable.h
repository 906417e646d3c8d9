#pragma once
#include <optional>

#include "post/people/caller.h"
#include "post/rules/withheld.h"
#include "post/town/store.h"
#include "post/values/nudge.h"

namespace townpost {

/// The nudge with what its reader may see of it, within a transaction: nothing, if it is gone or none of the reader's
/// business.
Result<std::optional<Nudge>> readable_nudge(Ledger& ledger, NudgeId id, const Caller& reader, const Withheld& withheld,
                                            Instant now);

}  // namespace townpost
