#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "post/town/bell.h"
#include "post/values/duty.h"
#include "post/values/event.h"

namespace townpost {

/// Where a reader of the log goes on.
struct LogQuery {
  std::int64_t after = 0;         ///< the last number that it knows of
  std::optional<AgentId> reader;  ///< an agent; nobody: a person, who may follow everything
  int limit = 200;                ///< so many entries are looked at, at most
};

/// A stretch of the log.
struct LogPage {
  std::vector<Event> events;  ///< what the reader may follow, in order
  std::int64_t upto = 0;      ///< go on behind this number; if it is where the reader was, nothing is new
  /// Not everything behind `after` is kept any more: the reader looks at the town itself, and goes on behind `upto`.
  bool resync = false;
};

/// Which numbers the log has.
struct LogExtent {
  std::int64_t oldest = 1;  ///< from here on everything is there
  std::int64_t newest = 0;  ///< the last number that was given
  friend bool operator==(const LogExtent&, const LogExtent&) = default;
};

/// The town's one log, as one transaction sees it: everything that a client may follow, in the order of commits.
/// An entry stays at least as long as the message or nudge that it is about. Belongs to the thread of its transaction.
class LogLedger {
 public:
  virtual ~LogLedger() = default;
  virtual Result<> add_event(const Event& event) = 0;
  virtual Result<std::vector<Event>> events_of(MessageId message) = 0;  ///< oldest first
  virtual Result<std::vector<Event>> events_of(NudgeId nudge) = 0;      ///< oldest first
  /// Events of one kind about `agent` within `window`, newest first, at most `most`. None of a queue's.
  virtual Result<std::vector<Event>> events_about(AgentId agent, EventKind kind, Window window, int most) = 0;
  virtual Result<LogPage> events_after(const LogQuery& query) = 0;
  virtual Result<LogExtent> log_extent() = 0;
  /// Forgets entries older than `before` and beyond the newest `keep`, but for those of messages and nudges that are
  /// still there. Looks at `most` of them; whether there may be more.
  virtual Result<bool> forget_events(Instant before, std::int64_t keep, int most) = 0;
  /// Rings this bell once the transaction is on stable storage; each bell once.
  virtual void ring(const BellKey& key) = 0;
  /// Whoever waits for work in this queue, or in any.
  void ring_queue(QueueId queue) {
    ring(queue);
    ring(BellKey::queues());
  }
};

/// What must follow commits, as one transaction sees it. Several processes may take duties at once: each goes to one.
/// Belongs to the thread of its transaction.
class OutboxLedger {
 public:
  virtual ~OutboxLedger() = default;
  virtual Result<> add_duty(const Duty& duty) = 0;
  /// Whether anything of `owner` is ready to be taken: due, not put off, and in nobody's hands any more.
  virtual Result<bool> has_ready_duties(DutyOwner owner, Instant now) = 0;
  /// Takes what is ready, the longest ready first: nobody else gets it before `until`, and an attempt has begun.
  virtual Result<std::vector<Duty>> lease_duties(DutyOwner owner, Instant now, Instant until, int most) = 0;
  // Of a duty as it was leased; false if that lease is over and somebody else has it, or has done it.
  virtual Result<bool> finish_duty(const Duty& leased) = 0;               ///< done: it is gone
  virtual Result<bool> fail_duty(const Duty& leased, Instant again) = 0;  ///< to be tried again then
  /// Nothing was tried: it may be taken then, and the attempt does not count.
  virtual Result<bool> put_off_duty(const Duty& leased, Instant again) = 0;
  virtual Result<std::vector<Duty>> duties(DutyOwner owner, int most) = 0;  ///< all, by the instant they are ready
};

}  // namespace townpost
