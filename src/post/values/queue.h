#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "post/values/awake.h"
#include "post/values/message.h"

namespace townpost {

struct QueueId {
  std::int64_t key = 0;
  friend auto operator<=>(const QueueId&, const QueueId&) = default;  // NOLINT(modernize-use-nullptr)
};

enum class QueueOrder { fifo, priority };
constexpr QueueOrder last_value(QueueOrder) { return QueueOrder::priority; }
std::string_view name(QueueOrder order);

enum class QueueState {
  active,
  paused,  ///< takes messages in, hands out nothing
  closed,  ///< takes nothing in; what is left may still be worked off
};
constexpr QueueState last_value(QueueState) { return QueueState::closed; }
std::string_view name(QueueState state);

/// Work for whoever comes first: each message goes to exactly one claimant at a time.
struct Queue {
  QueueId id;
  std::string name;
  std::string rig;       ///< empty: of the town
  std::string prefix;    ///< of its bead's id: the rig's, as it was when the queue was made
  std::string claimers;  ///< who may claim: `*`, an address, a wildcard, an @pattern or a group
  QueueOrder order = QueueOrder::fifo;
  int max_concurrency = 0;  ///< leases at the same time; 0 = any number
  Millis lease = std::chrono::minutes(10);
  int max_attempts = 5;
  QueueState state = QueueState::active;
  Instant created_at;
  std::optional<Instant> deleted_at;  ///< from then on nobody gets what is in it
  friend bool operator==(const Queue&, const Queue&) = default;
};

/// Where a message of a queue stands, as the store has it. What it means also depends on the time: see standing().
enum class ItemState { available = 0, leased = 1, completed = 2, dead = 3 };
constexpr ItemState last_value(ItemState) { return ItemState::dead; }

/// A message in a queue. `holder` is the last claimant as long as nobody else has claimed: it may still complete after
/// its lease ran out.
struct QueueItem {
  MessageId message;
  QueueId queue;
  ItemState state = ItemState::available;
  int rank = 0;  ///< what the queue orders by before age: the priority, or 0
  int attempts = 0;
  std::optional<AgentId> holder;
  std::optional<Instant> claimed_at;
  Instant lease_until;  ///< 0 = nobody has a lease
  std::optional<Instant> ended_at;
  std::string reason;     ///< of the last failure
  bool withheld = false;  ///< its sender is in quarantine: it is handed to nobody
  friend bool operator==(const QueueItem&, const QueueItem&) = default;
};

/// How many messages of a queue are where, now.
struct QueueCounts {
  std::int64_t available = 0;
  std::int64_t processing = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;  ///< dead: given up after too many attempts
  friend bool operator==(const QueueCounts&, const QueueCounts&) = default;
};

/// What an item is at that time: a lease that ran out is available again, or dead after too many attempts.
ItemState standing(const QueueItem& item, int max_attempts, const LeaseTime& time);
/// The item as it is at that time: where it stands, and that a lease that ran out is over.
QueueItem as_of(QueueItem item, int max_attempts, const LeaseTime& time);
/// Why an attempt failed whose lease ran out.
constexpr std::string_view kLeaseRanOut = "the lease ran out";

/// `hq-q-dispatch`, for a rig's queue `gt-q-merge`; it never changes.
std::string queue_bead(const Queue& queue);

}  // namespace townpost
