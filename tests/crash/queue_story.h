#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace townpost {

/// What became of one message of a queue: what the log has, where it stands now, and what workers were told.
struct QueueStory {
  struct Step {
    std::string kind;  ///< stored, claimed, lease-ended …, as the log spells it
    std::string who;   ///< empty: nobody in particular
    std::int64_t at = 0;
    std::string detail = {};
    bool in_quarantine = false;  ///< the message's sender was, at that place of the log
  };
  /// One answer that a worker got from the store.
  struct Told {
    std::string kind;  ///< claimed, completed, failed, released or extended
    std::string who;
    std::int64_t attempt = 0;  ///< of a claim
    friend auto operator<=>(const Told&, const Told&) = default;
  };
  std::string id;
  std::int64_t state = 0;  ///< as the store numbers them: 2 = completed
  std::int64_t attempts = 0;
  std::string holder;
  std::vector<Step> history;  ///< in the order of commits
  std::vector<Told> told;     ///< in any order; workers that were killed tell nothing
};

/// What the queue was made with.
struct QueueRules {
  Millis lease{};
  std::int64_t max_attempts = 0;
};

/// What is wrong first with a story that should end with the message completed once, by its last claimant; empty:
/// it is sound. Nobody may get a message that another has a lease of, or one of a sender in quarantine; leases last
/// their time; attempts are counted, and time never runs backwards.
std::string fault(const QueueStory& story, const QueueRules& rules);

}  // namespace townpost
