#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

/// What was taken back.
struct Recalled {
  std::int64_t copies = 0;     ///< unread ones, in mailboxes
  std::int64_t jobs = 0;       ///< of queues, that nobody has claimed
  std::int64_t posts = 0;      ///< that a subscriber had not read, or that nobody follows
  std::vector<MessageId> ids;  ///< each message once
  std::int64_t total() const { return copies + jobs + posts; }
};

/// Takes back what `from` sent since `since`, wherever nobody has had it yet. Whoever has read it keeps it. For people.
Result<Recalled> recall(Town& town, std::string_view from, Instant since, const Caller& caller);

/// Takes back the unread copies of this one message. Error: refused, if it went to a queue or a channel.
Result<Recalled> recall(Town& town, MessageId message, const Caller& caller);

}  // namespace townpost
