#include "post/values/event.h"

#include <algorithm>
#include <array>

namespace townpost {

namespace {

constexpr std::array<std::string_view, 54> kWords = {"stored",
                                                     "offered",
                                                     "delivered",
                                                     "read",
                                                     "acked",
                                                     "unread",
                                                     "archived",
                                                     "unarchived",
                                                     "deleted",
                                                     "pinned",
                                                     "unpinned",
                                                     "recalled",
                                                     "dropped",
                                                     "pruned",
                                                     "claimed",
                                                     "completed",
                                                     "failed",
                                                     "dead",
                                                     "released",
                                                     "extended",
                                                     "lease-ended",
                                                     "retried",
                                                     "queue made",
                                                     "queue changed",
                                                     "queue removed",
                                                     "channel made",
                                                     "channel changed",
                                                     "channel removed",
                                                     "queued",
                                                     "grew",
                                                     "leased",
                                                     "handed",
                                                     "put back",
                                                     "escalated",
                                                     "expired",
                                                     "superseded",
                                                     "lost",
                                                     "state",
                                                     "started",
                                                     "refused by L1",
                                                     "refused by L3",
                                                     "sender held",
                                                     "sender freed",
                                                     "hold",
                                                     "hold ended",
                                                     "quarantined",
                                                     "quarantine lifted",
                                                     "muted",
                                                     "unmuted",
                                                     "over budget",
                                                     "token made",
                                                     "token revoked",
                                                     "left undone",
                                                     "other"};
static_assert(kWords.size() == static_cast<std::size_t>(last_value(EventKind{})) + 1);
static_assert(kWords.back() == "other");

}  // namespace

std::string_view name(EventKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

EventKind event_kind(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  return found == kWords.end() ? EventKind::other : static_cast<EventKind>(found - kWords.begin());
}

bool is_end(EventKind kind) {
  switch (kind) {
    case EventKind::dropped:
    case EventKind::delivered:
    case EventKind::dead:
    case EventKind::expired:
    case EventKind::superseded:
    case EventKind::lost:
      return true;
    default:
      return false;
  }
}

EventKind event_kind(NudgeState state) { return event_kind(name(state)); }

}  // namespace townpost
