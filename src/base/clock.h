#pragma once
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

using Millis = std::chrono::milliseconds;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z. Stored as that integer everywhere.
struct Instant {
  std::int64_t ms = 0;

  friend auto operator<=>(const Instant&,
                          const Instant&) = default;  // NOLINT(modernize-use-nullptr): a fault of clang-tidy 14
  friend Instant operator+(Instant at, Millis by) { return {at.ms + by.count()}; }
  friend Instant operator-(Instant at, Millis by) { return {at.ms - by.count()}; }
  friend Millis operator-(Instant a, Instant b) { return Millis(a.ms - b.ms); }
};

/// An instant that never comes: "until somebody says otherwise".
constexpr Instant kForever{253'402'300'799'000};

/// A stretch of time, both ends included. What is counted ends now: later instants are of a clock that was wrong.
struct Window {
  Instant since;
  Instant until;
};

/// "2026-03-05T10:30:00.123Z"
std::string rfc3339(Instant at);

/// Reads RFC 3339 with `T` or a space, with or without fraction; without an offset it is UTC. Nothing if it is not
/// that.
std::optional<Instant> parse_instant(std::string_view text);

/// Reads "90s", "30m", "1h30m", "5 minutes", "7d", "500ms"; a number without a unit is refused, but for "0". Error:
/// usage.
Result<Millis> parse_duration(std::string_view text);

/// "now", "12s", "5m", "3h", "2d", "6w": how long ago, for people.
std::string age(Millis since);

/// The time, handed in so that tests can turn it. Any thread may ask; a database's clock is its connection's.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

/// Stands still until it is told to move.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = {1'700'000'000'000}) : now_(start) {}
  Instant now() const override { return now_; }
  void advance(Millis by) { now_ = now_ + by; }
  void set(Instant at) { now_ = at; }

 private:
  Instant now_;
};

}  // namespace townpost
