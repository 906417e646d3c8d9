#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/values/awake.h"
#include "post/values/message.h"

namespace townpost {

/// A nudge's id: `hq-n-` and a few characters; grows with every nudge, like a message's.
struct NudgeId {
  std::int64_t key = 0;
  static Result<NudgeId> parse(std::string_view text);
  static NudgeId make(std::int64_t seq, Random& random) { return {key_with_chance(seq, random)}; }
  std::string str() const;
  friend auto operator<=>(const NudgeId&, const NudgeId&) = default;  // NOLINT(modernize-use-nullptr)
};

/// When a nudge may reach its agent.
enum class NudgeMode {
  wait_idle,  ///< at its next idle moment; at once if it is idle
  immediate,  ///< now, also while it works
  soon,       ///< as wait_idle, and between two tools where the harness can
  queue,      ///< at the next boundary the agent reaches by itself; never wakes it
};
constexpr NudgeMode last_value(NudgeMode) { return NudgeMode::queue; }
std::string_view name(NudgeMode mode);
std::vector<std::string_view> nudge_mode_names();
Result<NudgeMode> parse_nudge_mode(std::string_view text);

enum class NudgeSource { witness, refinery, deacon, user, system, agent };
constexpr NudgeSource last_value(NudgeSource) { return NudgeSource::agent; }
std::string_view name(NudgeSource source);
/// What somebody with this address speaks as.
NudgeSource source_of(const Address& address);

enum class NudgeState { queued, leased, handed, delivered, expired, superseded, dropped, dead, lost };
constexpr NudgeState last_value(NudgeState) { return NudgeState::lost; }
std::string_view name(NudgeState state);
std::vector<std::string_view> nudge_state_names();
std::optional<NudgeState> find_nudge_state(std::string_view text);
/// Whether nothing more becomes of it.
inline bool is_terminal(NudgeState state) { return state >= NudgeState::delivered; }

/// What a nudge is for: to say that mail is there, or its own text, whose first word may tell more.
enum class NudgeKind { text, mail, health_check, timer, dog_done };
constexpr NudgeKind last_value(NudgeKind) { return NudgeKind::dog_done; }
std::string_view name(NudgeKind kind);
/// By the first word of its text: "DOG_DONE: sweep success".
NudgeKind kind_of(std::string_view text);

/// "Wake up and look at this now": lives beside the mail, ends in exactly one terminal state, and is gone a week later.
struct Nudge {
  NudgeId id;
  AgentId target;
  AgentId sender;
  std::string from;  ///< the sender's address when it was sent
  Grade grade = Grade::env;
  NudgeSource source = NudgeSource::agent;
  NudgeKind kind = NudgeKind::text;
  NudgeMode mode = NudgeMode::wait_idle;
  bool urgent = false;
  bool ephemeral = false;  ///< one attempt; without a session it is lost
  bool forced = false;     ///< past do-not-disturb
  std::string text;
  std::string coalesce_key;
  std::string thread;
  std::vector<std::string> refs;  ///< ids of messages or beads it is about
  std::string bead;               ///< meant for the holder of this bead only; empty: for whoever has the address
  int hops = 0;
  std::string held_by;  ///< the rule that lets it wake nobody ("L1"), or empty

  std::int64_t place = 0;  ///< in the line of its target: its key, or that of the one it took the place of
  Instant created_at;
  Instant deliver_after;
  std::optional<AwakeTime> expires_at;
  std::optional<AwakeTime> escalate_at;  ///< an urgent one: when somebody is told that it still waits

  NudgeState state = NudgeState::queued;
  int attempts = 0;
  std::optional<AwakeTime> lease_until;
  std::optional<AwakeTime> retry_at;
  std::string leased_for;  ///< the incarnation of the session that the lease is for
  std::string leased_by;   ///< the process that holds the lease
  std::optional<Instant> handed_at;
  std::optional<Instant> delivered_at;
  std::optional<Instant> ended_at;
  std::string evidence;
  std::string last_error;

  friend bool operator==(const Nudge&, const Nudge&) = default;
};

/// Somebody was woken: what rules L4 and L6 count.
struct Wake {
  AgentId agent;
  Instant at;
  bool by_agent = false;
  bool urgent = false;
};

/// People and the town itself are exempt from the rules that hold wakes back.
inline bool is_exempt(const Nudge& nudge) {
  return nudge.source == NudgeSource::user || nudge.source == NudgeSource::system;
}

/// Whether `newer` may end `older` by having its key: nobody ends a person's word, or the town's, by choosing its key.
inline bool may_replace(const Nudge& newer, const Nudge& older) {
  return newer.kind != NudgeKind::mail && older.kind != NudgeKind::mail && !newer.coalesce_key.empty() &&
         newer.coalesce_key == older.coalesce_key && (is_exempt(newer) || !is_exempt(older));
}

constexpr std::size_t kNudgeBytes = 64u << 10;
/// So long an ended one can be asked about.
constexpr Millis kNudgeMemory = std::chrono::hours(7 * 24);

}  // namespace townpost
