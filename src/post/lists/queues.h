#pragma once
#include <optional>
#include <string>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"

namespace townpost {

/// A queue as it stands now.
struct QueueView {
  Queue queue;
  QueueCounts counts;
  std::int64_t withheld = 0;  ///< of those that are available: handed to nobody, for their senders are in quarantine
  std::string doubt = {};     ///< where one queue is looked at: that nobody who is there may claim from it
};

/// A message of a queue, and who has it.
struct QueuedMail {
  Message message;
  QueueItem item;  ///< as it was when it was read: see as_of()
  Queue queue;
  std::string holder;                 ///< address of the last claimant, or empty
  bool headers_only = false;          ///< whoever looks may not claim it: no body
  std::optional<Delivery> copy = {};  ///< whoever looks was sent it, too
};
/// What is told of that.
Work work_of(const QueuedMail& mail);

/// Queues themselves: made and managed by people and by the town's and rigs' coordinators.
class Queues {
 public:
  explicit Queues(Town& town) : town_(town) {}

  struct NewQueue {
    std::string name;
    std::string claimers = "*";
    std::string rig;
    QueueOrder order = QueueOrder::fifo;
    std::int64_t max_concurrency = 0;
    Millis lease = std::chrono::minutes(10);
    std::int64_t max_attempts = 5;
  };
  Result<QueueView> create(const NewQueue& wanted);
  /// What is not given stays as it is.
  struct Changes {
    std::optional<std::string> claimers = {};
    std::optional<std::int64_t> max_concurrency = {};
    std::optional<Millis> lease = {};
    std::optional<std::int64_t> max_attempts = {};
  };
  Result<QueueView> update(std::string_view name, const Changes& wanted);
  Result<std::vector<QueueView>> list();
  Result<QueueView> show(std::string_view name);
  /// Those somebody works on now, in the queue's order.
  Result<std::vector<QueuedMail>> processing(std::string_view name, const Caller& reader);
  /// Pauses, resumes or closes.
  Result<QueueView> set_state(std::string_view name, QueueState state);
  enum class Unfinished { refuse, drop };
  /// Refused while messages wait or are worked on, unless they may be dropped: then nobody gets them any more.
  Result<> remove(std::string_view name, Unfinished unfinished);

  struct Contents {
    std::vector<QueuedMail> mails;
    std::int64_t total = 0;  ///< how many there are altogether
  };
  /// What is in a queue, or what of it is in this state: first what somebody works on, then what waits, in the order
  /// in which it is handed out, then what was given up. What is done is shown only if it is asked for.
  Result<Contents> contents(std::string_view name, const std::optional<ItemState>& state, int limit,
                            const Caller& reader);

  /// What was given up, of one queue or all; bodies only for those who may read them.
  Result<std::vector<QueuedMail>> dead(const std::optional<std::string>& name, const Caller& reader);
  /// A dead message begins anew.
  Result<QueuedMail> retry(MessageId id, const Caller& caller);

 private:
  Town& town_;
};

/// The queue of that name. Error: not_found.
Result<Queue> existing_queue(Ledger& ledger, std::string_view name);

/// That nobody who is in the town may claim from it now, and what its claimers may have been meant to be; empty:
/// somebody may.
Result<std::string> doubt_about(Ledger& ledger, const Queue& queue);

/// A message with where it stands in its queue now. Error: not_found, or refused if it is in none.
Result<QueuedMail> queued_mail(Ledger& ledger, MessageId id, Instant now);
/// Why a message of a queue was given up, as far as `reader` may know: the words of whoever worked on it are for
/// people, for the sender and for those who may claim it, and of somebody in quarantine for people only.
Result<std::string> reason_for(Ledger& ledger, const QueuedMail& mail, const Caller& reader);

/// What `self` has claimed and may finish: its leases run. The one that ends first comes first.
Result<std::vector<QueuedMail>> claims_of(Ledger& ledger, const Agent& self, const Caller& reader, Instant now);

/// That the queue is there still. Error: refused.
Result<> check_there(const Queue& queue);

/// That a lease is between a second and a year. Error: usage.
Result<> check_lease(Millis lease);

/// Leases that ran out are over: what they held is available again, or dead; the history says so. After a night nobody
/// has watched, so they end later.
Result<> end_leases(Ledger& ledger, const Queue& queue, Instant now);

}  // namespace townpost
