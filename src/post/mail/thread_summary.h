#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "post/mail/mailroom.h"

namespace townpost {

/// What a thread comes to, computed from its typed messages.
struct ThreadSummary {
  std::map<std::string, int> types;  ///< how many of each type; "mail" for those without one
  std::string last_status;           ///< of the last message that tells one, and who told it
  std::string last_status_by;
  std::vector<Message> open_help;  ///< requests that nobody else has answered since
  std::string last_commit;
  Instant first_at;
  Instant last_at;
};

ThreadSummary summarise(const Settings& settings, const ThreadView& thread);

}  // namespace townpost
