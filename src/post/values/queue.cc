#include "post/values/queue.h"

#include "base/text.h"

namespace townpost {

std::string_view name(QueueOrder order) { return order == QueueOrder::fifo ? "fifo" : "priority"; }

std::string_view name(QueueState state) {
  switch (state) {
    case QueueState::active:
      return "active";
    case QueueState::paused:
      return "paused";
    case QueueState::closed:
      return "closed";
  }
  return "";
}

ItemState standing(const QueueItem& item, int max_attempts, const LeaseTime& time) {
  if (item.state != ItemState::leased || time.runs(item.lease_until, item.claimed_at.value_or(item.lease_until)))
    return item.state;
  return item.attempts >= max_attempts ? ItemState::dead : ItemState::available;
}

QueueItem as_of(QueueItem item, int max_attempts, const LeaseTime& time) {
  const ItemState now = standing(item, max_attempts, time);
  if (now == item.state) return item;
  item.state = now;
  item.lease_until = Instant{0};
  item.reason = kLeaseRanOut;
  return item;
}

std::string queue_bead(const Queue& queue) {
  return cat(queue.prefix.empty() ? "hq" : queue.prefix, "-q-", queue.name);
}

}  // namespace townpost
