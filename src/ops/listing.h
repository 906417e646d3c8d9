#pragma once
#include <string>
#include <vector>

#include "ops/op.h"
#include "post/values/message.h"

namespace townpost {

/// Remembers the ids a caller was just shown, so that `gt mail read 3` means the third of them. Kept for ten minutes;
/// losing it costs the caller one listing.
void remember_listing(Context& context, const std::vector<MessageId>& ids);

/// The message at position `number` (from 1) of the caller's last listing. Error: not_found.
Result<MessageId> listed(Context& context, std::int64_t number);

}  // namespace townpost
