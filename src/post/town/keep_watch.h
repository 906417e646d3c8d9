#pragma once
#include "post/town/store.h"

namespace townpost {

// In a transaction, and on its thread.

/// Notes that somebody watches now, in this write; the time it is. After sleep the leases of queues, which are kept by
/// the clock, end as much later.
Result<AwakeTime> keep_watch(Ledger& ledger, Instant now);

/// The same only if nobody watched for so long that it was sleep, for whoever ends leases.
Result<> wake_up(Ledger& ledger, Instant now);

}  // namespace townpost
