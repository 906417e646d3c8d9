#pragma once
#include <optional>
#include <string>

#include "post/caller.h"
#include "post/queues.h"
#include "post/town.h"

namespace townpost {

/// Work from queues: a claim is a lease and counts as an attempt. Only the last claimant may end it.
class Claims {
 public:
  explicit Claims(Town& town) : town_(town) {}

  /// The next message of a queue, or of every queue the caller may claim from, oldest first. Nothing if nothing is
  /// available.
  Result<std::optional<QueuedMail>> claim(const std::optional<std::string>& queue, const Caller& caller);
  /// The same, but waits up to `longest` for one.
  Result<std::optional<QueuedMail>> wait_and_claim(const std::optional<std::string>& queue, Millis longest,
                                                   const Caller& caller);

  // Each answers with the message as it then stands. Error: refused, saying who has it.
  Result<QueuedMail> complete(MessageId id, const Caller& caller);
  Result<QueuedMail> fail_attempt(MessageId id, const std::string& reason, const Caller& caller);
  Result<QueuedMail> release(MessageId id, const Caller& caller);
  /// The lease ends `lease` (or the queue's own time) from now.
  Result<QueuedMail> extend(MessageId id, const std::optional<Millis>& lease, const Caller& caller);

 private:
  enum class Paused { refuse, wait };
  struct Look {
    std::optional<QueuedMail> mail;
    std::optional<Instant> next_lease_end;
    std::vector<QueueId> queues;  ///< that were looked at
  };
  Result<Look> look(const std::optional<std::string>& queue, const Agent& self, Paused paused);
  Result<Agent> claimant(const Caller& caller);
  template <class Change>
  Result<QueuedMail> end_claim(MessageId id, const Caller& caller, Change change);

  Town& town_;
};

}  // namespace townpost
