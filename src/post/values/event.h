#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "post/values/channel.h"
#include "post/values/message.h"
#include "post/values/nudge.h"
#include "post/values/queue.h"

namespace townpost {

/// What happened. Each kind has one word, which is stored and shown; a word keeps its meaning for good. The same word
/// serves mail, nudges and queues where it means the same.
enum class EventKind {
  stored,
  offered,
  delivered,
  read,
  acked,
  unread,
  archived,
  unarchived,
  deleted,
  pinned,
  unpinned,
  recalled,
  dropped,
  pruned,
  claimed,
  completed,
  failed,
  dead,
  released,
  extended,
  lease_ended,
  retried,
  queue_made,
  queue_changed,
  queue_removed,
  channel_made,
  channel_changed,
  channel_removed,
  queued,
  grew,
  leased,
  handed,
  put_back,
  escalated,
  expired,
  superseded,
  lost,
  agent_state,  ///< its detail is the state's name
  started,
  refused_by_l1,
  refused_by_l3,
  sender_held,   ///< L3 holds what it sends…
  sender_freed,  ///< …until somebody says otherwise
  hold,          ///< nothing is injected: to this agent, or to anybody where none is named
  hold_ended,
  quarantined,
  quarantine_lifted,
  muted,
  unmuted,
  over_budget,
  token_made,     ///< its detail is the id of the token…
  token_revoked,  ///< …and whatever its holder follows ends now
  left_undone,
  other,  ///< written by another version of gt
};
constexpr EventKind last_value(EventKind) { return EventKind::other; }
std::string_view name(EventKind kind);
EventKind event_kind(std::string_view word);
/// What is noted when a nudge comes to this state.
EventKind event_kind(NudgeState state);

/// Whether a message or nudge that this happened to is over.
bool is_end(EventKind kind);

/// Who may follow an event. People may follow everything.
enum class Audience {
  concerned,  ///< the agent it names, sender and recipients of its message, sender and target of its nudge. Once these
              ///< are erased nobody knows who that was: then everybody learns of the end, and of nothing else
  everybody,  ///< everybody learns that it happened; its detail is for those concerned
  people,
};
constexpr Audience last_value(Audience) { return Audience::people; }

/// One entry of the town's log: what happened, to what, by or at whom.
struct Event {
  std::int64_t seq = 0;  ///< given by the store: in the order of commits, never twice
  Instant at;
  EventKind kind = EventKind::other;
  std::optional<MessageId> message;
  std::optional<AgentId> agent;
  std::string detail;  ///< evidence or reason, for people
  std::optional<NudgeId> nudge;
  std::optional<QueueId> queue;
  std::optional<ChannelId> channel;
  Audience audience = Audience::concerned;
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace townpost
