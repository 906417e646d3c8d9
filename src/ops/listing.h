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

/// The same of the one message that the caller was handed: `last` means it until something else is listed, and the
/// numbers stay those of the list.
void remember_last(Call& call, MessageId id);

/// Of a list of messages that `ids` is a part of.
Extent extent_of(std::int64_t total, std::int64_t more, const std::vector<MessageId>& ids);

/// What the caller was shown where it is.
struct Listing {
  std::vector<std::string> ids;  ///< of the list
  std::string last;              ///< what `last` means; empty: nothing
};
/// Error: not_found, if that is over an hour ago, or never was.
Result<Listing> last_listing(Call& call);

/// The same, of the listing in a file.
Result<Listing> listed_in(const std::filesystem::path& file, Instant now);

}  // namespace townpost
