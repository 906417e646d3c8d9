#pragma once
#include <compare>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace townpost {

/// A point in the time that the town was awake: milliseconds in which somebody watched. Deadlines that must not pass
/// while a laptop sleeps (lives of nudges, leases, idle timers, warnings) are kept in it.
struct AwakeTime {
  std::int64_t ms = 0;

  friend auto operator<=>(const AwakeTime&, const AwakeTime&) = default;  // NOLINT(modernize-use-nullptr)
  friend AwakeTime operator+(AwakeTime at, Millis by) { return {at.ms + by.count()}; }
  friend AwakeTime operator-(AwakeTime at, Millis by) { return {at.ms - by.count()}; }
  friend Millis operator-(AwakeTime a, AwakeTime b) { return Millis(a.ms - b.ms); }
};

/// A longer time in which nobody watched was sleep…
constexpr Millis kLongestBlink = std::chrono::seconds(60);
/// …after which everything has this much more time: those who wake up together need a moment.
constexpr Millis kGraceAfterSleep = std::chrono::minutes(5);

/// A claim of a queue is over by then, however long nobody watched: its worker may be gone for good.
constexpr Millis kLongestClaim = std::chrono::hours(24);

/// By what the leases of queues are judged, which are kept by the clock: they run on while nobody watches, until the
/// claim is too old.
struct LeaseTime {
  Instant now;
  Instant watched;  ///< when somebody last watched: `now`, unless the town sleeps

  LeaseTime(Instant at) : now(at), watched(at) {}  // NOLINT(google-explicit-constructor): whoever acts is awake
  LeaseTime(Instant at, Instant last_watched) : now(at), watched(last_watched) {}
  bool runs(Instant lease_until, Instant claimed_at) const {
    return lease_until > now || (lease_until > watched && claimed_at + kLongestClaim > now);
  }
};

/// What the town knows of its own time and of its own hold.
struct Watch {
  AwakeTime awake;                       ///< when somebody last watched…
  Instant watched_at;                    ///< …by the clock
  std::optional<Instant> held_since;     ///< gt hold --all: nothing is injected from then…
  std::optional<Instant> hold_until;     ///< …until then
  std::optional<Instant> wakes_told_at;  ///< when a person was last told that rule L6 holds wakes back

  /// Time as it is now: it goes on after a short gap, and after a long one it stood still and steps back by the grace.
  AwakeTime at(Instant now) const;
  /// Whether nobody watched for so long that it was sleep.
  bool slept(Instant now) const { return watched_at.ms > 0 && now - watched_at > kLongestBlink; }
  LeaseTime leases(Instant now) const { return slept(now) ? LeaseTime(now, watched_at) : LeaseTime(now); }
  bool held(Instant now) const { return hold_until && *hold_until > now; }
};

}  // namespace townpost
