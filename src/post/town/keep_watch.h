#pragma once
#include "post/town/store.h"

namespace townpost {

/// Notes that somebody watches now, in this write; the time it is. After sleep the leases of queues, which are kept by
/// the clock, end as much later.
Result<AwakeTime> keep_watch(Ledger& ledger, Instant now);

}  // namespace townpost
