#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "post/values/message.h"

namespace townpost {

/// Who carries a duty out. The town's own are done by whoever writes next.
enum class DutyOwner { town, push, bridge, patrol };
constexpr DutyOwner last_value(DutyOwner) { return DutyOwner::patrol; }

/// What is to be done. Each kind has one word, which is stored.
enum class DutyKind {
  drop_wisp,
  remind_of_reply,
  reply_overdue,
  prune_channel,
  forget_events,
  other,  ///< of another version of gt
};
constexpr DutyKind last_value(DutyKind) { return DutyKind::other; }
std::string_view name(DutyKind kind);
DutyKind duty_kind(std::string_view word);

/// Something that must follow a commit, now or at an instant: stored in the same transaction, carried out afterwards.
/// If whoever took it dies, its lease runs out and the next one takes it.
struct Duty {
  std::int64_t id = 0;  ///< given by the store, never twice
  Instant due_at;
  DutyKind kind = DutyKind::other;
  std::optional<MessageId> message;
  std::string detail;
  DutyOwner owner = DutyOwner::town;
  int attempts = 0;  ///< that were begun
  Instant ready_at;  ///< when it may be taken: due, tried again, or left by whoever had it; the store's
  std::optional<Instant> lease_until;  ///< somebody has it in hand until then
  friend bool operator==(const Duty&, const Duty&) = default;
};

}  // namespace townpost
