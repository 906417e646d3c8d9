#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "post/values/address.h"
#include "post/values/id_text.h"

namespace townpost {

/// Key of an agent's (or the human's) row, and so of its mailbox.
struct AgentId {
  std::int64_t key = 0;
  friend auto operator<=>(const AgentId&, const AgentId&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A message's id: `hq-m-` and a few characters. The number behind it grows with every message of the town (its upper
/// part is the message's sequence number, its lower 20 bits are chance), so it is time order and primary key in one.
struct MessageId {
  std::int64_t key = 0;

  static Result<MessageId> parse(std::string_view text);
  static MessageId make(std::int64_t seq, Random& random);
  std::string str() const;
  std::int64_t seq() const { return key >> kChanceBits; }
  /// The smallest key that a message with this sequence number can have; beyond every message for numbers too large.
  static MessageId least(std::int64_t seq) {
    if (seq > (INT64_MAX >> kChanceBits)) return {INT64_MAX};
    return {seq <= 0 ? 0 : seq << kChanceBits};
  }

  friend auto operator<=>(const MessageId&, const MessageId&) = default;  // NOLINT(modernize-use-nullptr)
};

// Every enumeration that is stored says its last value: a number from a store is checked against it.
enum class Priority { urgent = 0, high = 1, normal = 2, low = 3, lowest = 4 };
constexpr Priority last_value(Priority) { return Priority::lowest; }
std::string_view name(Priority priority);
/// "0" … "4" or a name. Error: usage.
Result<Priority> parse_priority(std::string_view text);

enum class MessageType { notification, task, scavenge, reply, escalation };
constexpr MessageType last_value(MessageType) { return MessageType::escalation; }
std::string_view name(MessageType type);
std::vector<std::string_view> message_type_names();
/// The type of that name, if there is one; unknown names are ordinary notifications to whoever asks.
std::optional<MessageType> find_message_type(std::string_view text);

/// How we know who is speaking: a token, a session that the process tree proves, what the environment or a person's
/// terminal says, an explicit --as, or nothing but that a process of the town's user runs. Stored by number.
enum class Grade { token, pane, env, flag, script };
constexpr Grade last_value(Grade) { return Grade::script; }
std::string_view name(Grade grade);
/// Whether `grade` is as good as `least`, or better; the list above goes from the best to the least.
inline bool is_at_least(Grade grade, Grade least) { return grade <= least; }

/// What a sender writes and the town keeps as it is: the same in a letter and in the message that it becomes.
struct Written {
  std::string subject;
  std::string body;
  Priority priority = Priority::normal;
  MessageType type = MessageType::notification;
  std::string thread;
  std::optional<MessageId> reply_to;
  bool ack_required = false;
  bool wisp = false;

  friend bool operator==(const Written&, const Written&) = default;
};

/// What was sent: frozen at send, byte for byte.
struct Message : Written {
  MessageId id;
  Instant created_at;
  AgentId sender;
  std::string from;  ///< the sender's address when it was sent
  Grade grade = Grade::env;
  std::vector<std::string> to;  ///< who was addressed, in canonical spelling
  std::vector<std::string> cc;
  std::optional<Instant> reply_by;
  int hops = 0;
  std::optional<AgentId> quotes;       ///< whose words it quotes, if the town wrote it
  std::optional<std::int64_t> digest;  ///< of recipients, subject and body, where duplicates are looked for

  friend bool operator==(const Message&, const Message&) = default;
};

/// The name of the queue or channel among those it was sent to (`kind` is "queue:" or "channel:"); empty: of none.
std::string_view list_addressed(const Message& message, std::string_view kind);

/// What a rule holds back until an instant, it holds back for no longer than this.
constexpr Millis kLongestHold = std::chrono::hours(2);

/// One recipient's copy: what happened to the message in that mailbox.
struct Delivery {
  MessageId message;
  AgentId mailbox;
  int place = 0;      ///< among the recipients, in the order they were addressed
  bool copy = false;  ///< by cc
  Priority priority = Priority::normal;
  bool pinned = false;
  std::string held_by;                ///< the rule that holds back the wake ("L2"), or empty
  std::optional<Instant> held_until;  ///< when that ends by itself, if it does
  std::optional<Instant> delivered_at;
  std::optional<Instant> read_at;
  std::optional<Instant> acked_at;
  std::optional<Instant> archived_at;
  std::optional<Instant> deleted_at;
  std::optional<Instant> announced_at;
  std::string bead;  ///< for the holder of this bead only; empty: for whoever has the address

  /// Whether a rule holds back the wake now. An end that is too far away is of a clock that was wrong.
  bool held(Instant now) const {
    return !held_by.empty() && (!held_until || (*held_until > now && *held_until <= now + kLongestHold));
  }

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

constexpr std::size_t kSubjectBytes = 500;
constexpr std::size_t kBodyBytes = 1u << 20;
constexpr std::size_t kMostRecipients = 1000;

/// "Re: " once: "X" → "Re: X", "Re: X" → "Re: X" (also "RE:").
std::string reply_subject(std::string_view subject);
/// The subject without its leading "Re:"s.
std::string_view bare_subject(std::string_view subject);

// A thread that nobody named has a name that nobody can guess: thread-<12 hex>.
constexpr std::string_view kMadeThread = "thread-";
constexpr int kMadeThreadDigits = 12;
bool is_made_thread(std::string_view thread);

}  // namespace townpost
