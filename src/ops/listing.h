#pragma once
#include <filesystem>
#include <vector>

#include "ops/answer.h"
#include "ops/call.h"
#include "post/values/message.h"

namespace townpost {

/// Remembers the ids a caller was just shown, so that `gt mail read 3` means the third of them. Kept for ten minutes;
/// losing it costs the caller one listing.
void remember_listing(Call& call, const std::vector<MessageId>& ids);

/// Of a list of messages that `ids` is a part of.
Extent extent_of(std::int64_t total, std::int64_t more, const std::vector<MessageId>& ids);

/// The message at position `number` (from 1) of the caller's last listing. Error: not_found.
Result<MessageId> listed(Call& call, std::int64_t number);

/// The same, of the listing in a file.
Result<MessageId> listed(const std::filesystem::path& file, std::int64_t number, Instant now);

}  // namespace townpost
