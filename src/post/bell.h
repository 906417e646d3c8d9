#pragma once
#include <optional>
#include <vector>

#include "base/clock.h"
#include "post/message.h"

namespace townpost {

/// Wake-up hints, rung after a commit. A reader that misses one finds the message at its next look.
class Bell {
 public:
  virtual ~Bell() = default;
  /// Something changed in this mailbox. Never fails: a lost ring costs time, not mail.
  virtual void ring(AgentId mailbox) = 0;
  /// What the mailbox's bell looks like now; another value later means that it was rung in between.
  virtual std::int64_t stamp(AgentId mailbox) = 0;
  /// Sleeps until the stamp is no longer `seen`, at most `longest`.
  virtual void wait(AgentId mailbox, std::int64_t seen, Millis longest) = 0;
};

}  // namespace townpost
