#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ops/answer.h"
#include "ops/call.h"
#include "post/values/message.h"

namespace townpost {

/// Remembers the ids that the caller is shown, once it has them, so that 3 means the third of them: for the terminal,
/// pane or session it is in, else for whoever it is. Losing it costs the caller one listing.
void remember_listing(Call& call, const std::vector<MessageId>& ids);
void remember_listing(Call& call, std::vector<std::string> ids);

/// Of a list of messages that `ids` is a part of.
Extent extent_of(std::int64_t total, std::int64_t more, const std::vector<MessageId>& ids);

/// The ids that the caller was shown last where it is. Error: not_found, if that is over an hour ago, or never was.
Result<std::vector<std::string>> last_listing(Call& call);

/// The same, of the listing in a file.
Result<std::vector<std::string>> listed_in(const std::filesystem::path& file, Instant now);

}  // namespace townpost
