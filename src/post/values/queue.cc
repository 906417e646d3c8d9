#include "post/values/queue.h"

#include "base/text.h"

namespace townpost {

std::string_view name(QueueOrder order) { return order == QueueOrder::fifo ? "fifo" : "priority"; }

std::string_view name(QueueState state) {
  switch (state) {
    case QueueState::open:
      return "open";
    case QueueState::paused:
      return "paused";
    case QueueState::closed:
      return "closed";
  }
  return "";
}

ItemState standing(const QueueItem& item, int max_attempts, Instant now) {
  if (item.state != ItemState::leased || item.lease_until > now) return item.state;
  return item.attempts >= max_attempts ? ItemState::dead : ItemState::available;
}

std::string queue_bead(const Queue& queue, std::string_view rig_prefix) {
  return cat(rig_prefix.empty() ? "hq" : rig_prefix, "-q-", queue.name);
}

}  // namespace townpost
