#include "post/rules/marks.h"

#include <utility>

namespace townpost {

MarkChange apply(Mark mark, const Message& message, Delivery& copy, Instant now) {
  auto set = [&](std::optional<Instant>& instant) { return instant ? false : (instant = now, true); };
  auto clear = [](std::optional<Instant>& instant) { return std::exchange(instant, std::nullopt).has_value(); };
  auto told = [](bool changed, EventKind event) { return MarkChange{changed, event}; };
  switch (mark) {
    case Mark::seen: {
      const bool delivered = set(copy.delivered_at);
      return told(set(copy.read_at) || delivered, EventKind::read);
    }
    case Mark::read: {
      const bool delivered = set(copy.delivered_at);  // whoever acknowledges a message has had it
      const bool read = set(copy.read_at);
      const bool acked = message.ack_required && set(copy.acked_at);
      return told(delivered || read || acked, message.ack_required ? EventKind::acked : EventKind::read);
    }
    case Mark::unread:
      return told(clear(copy.read_at), EventKind::unread);
    case Mark::archived:
      return told(set(copy.archived_at), EventKind::archived);
    case Mark::unarchived:
      return told(clear(copy.archived_at), EventKind::unarchived);
    case Mark::deleted:
      return told(set(copy.deleted_at), EventKind::deleted);
    case Mark::pinned:
      return told(!std::exchange(copy.pinned, true), EventKind::pinned);
    case Mark::unpinned:
      return told(std::exchange(copy.pinned, false), EventKind::unpinned);
  }
  return {};
}

}  // namespace townpost
