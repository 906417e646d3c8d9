#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "post/mail/standing.h"
#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

struct HistoryEntry {
  Instant at;
  std::string what;
  std::string who;
  std::string detail;
};

/// The whole life of a message.
struct Explanation {
  Mail mail;
  std::vector<Standing> standings;
  std::vector<HistoryEntry> history;
};

/// For the sender, recipients, those in its thread, and people.
Result<Explanation> explain(Town& town, MessageId id, const Caller& caller);

/// What stands in the way of an agent's mail now.
struct Obstacles {
  std::string address;
  std::int64_t unread = 0;
  std::int64_t held = 0;
  std::vector<std::string> reasons;
};
Result<Obstacles> why(Town& town, std::string_view address);

}  // namespace townpost
