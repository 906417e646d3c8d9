#pragma once
#include <functional>
#include <optional>
#include <string>

#include "post/lists/queues.h"
#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

/// Where a message of a queue stands.
struct QueuedItem {
  QueueItem item;
  Queue queue;
};

/// Work from queues: a claim is a lease and counts as an attempt. Only the last claimant may end it.
class Claims {
 public:
  explicit Claims(Town& town) : town_(town) {}

  /// The next message of a queue, or of every queue the caller may claim from, oldest first. Nothing if nothing is
  /// available.
  Result<std::optional<QueuedMail>> claim(const std::optional<std::string>& queue, const Caller& caller);
  enum class Paused { refuse, wait };
  /// One look of somebody who waits for work.
  struct Look {
    std::optional<QueuedMail> mail;
    BellKey bell = BellKey::queues();  ///< rings when there may be something
    Instant again_at = kForever;       ///< also look then, whatever rang
  };
  Result<Look> look(const std::optional<std::string>& queue, const Caller& caller, Paused paused);

  // Each answers with where the message then stands. Error: refused, saying who has it.
  Result<QueuedItem> complete(MessageId id, const Caller& caller);
  Result<QueuedItem> fail_attempt(MessageId id, const std::string& reason, const Caller& caller);
  Result<QueuedItem> release(MessageId id, const Caller& caller);
  /// The lease ends `lease` (or the queue's own time) from now.
  Result<QueuedItem> extend(MessageId id, const std::optional<Millis>& lease, const Caller& caller);

 private:
  /// Says what will be asked first, so that a store that is far away looks it up in one step.
  using Foresee = std::function<void(Ledger&)>;
  /// Runs `work` as a write that looks first, with the caller's agent; whoever is new is registered.
  Result<> as_agent(const Caller& caller, const Foresee& foresee,
                    const std::function<Result<>(Ledger&, const Agent&)>& work);
  /// Takes our turn and changes a claimed item in it; nothing: whoever calls may not.
  using Change = std::function<Result<std::optional<QueueItem>>(Ledger&, const Queue&, const Agent&)>;
  /// What follows the change, with the item as it then is.
  using Follow = std::function<Result<>(Ledger&, const Queue&, const QueueItem&, const Agent&, Instant)>;
  /// Takes our turn, and ends the leases that ran out by then: when that is.
  Result<Instant> take_turn_at(Ledger& ledger, const Queue& queue);
  Result<QueuedItem> change_claim(MessageId id, const Caller& caller, const Change& change, const Follow& follow);

  Town& town_;
};

}  // namespace townpost
