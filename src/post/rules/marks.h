#pragma once
#include "post/values/event.h"

namespace townpost {

/// What may be done to one's own copy of a message.
enum class Mark { seen, read, unread, archived, unarchived, deleted, pinned, unpinned };

/// What a mark changed about a copy.
struct MarkChange {
  bool changed = false;                ///< else it was so already
  EventKind event = EventKind::other;  ///< what it is now: read, archived …
  friend bool operator==(const MarkChange&, const MarkChange&) = default;
};

/// Marks `copy` of `message`. To be marked read is to be acknowledged where that is asked for; to be seen is not.
MarkChange apply(Mark mark, const Message& message, Delivery& copy, Instant now);

}  // namespace townpost
