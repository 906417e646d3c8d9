#pragma once
#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace townpost {

/// What a server's clock says, as its answers told it: for all connections of a process to that server. Never later
/// than the server's own, and never earlier than it said before; so whoever has the town's turn reads an instant that
/// is not before any that was read in an earlier turn, on whatever machine. Any thread may use it.
class ServerTime final : public Clock {
 public:
  /// Microseconds that go on whatever happens to this machine's clock.
  using Ticks = std::int64_t (*)();
  static std::int64_t ticks_since_start();
  explicit ServerTime(Ticks ticks = ticks_since_start) : ticks_(ticks) {}

  Instant now() const override;
  /// An answer that came just now says what time it was, in microseconds since 1970.
  void learn(std::int64_t server_us);

 private:
  Instant not_before(std::int64_t us) const;
  Ticks ticks_;
  std::atomic<std::int64_t> offset_ = 0;  ///< the server's time minus our ticks
  mutable std::atomic<std::int64_t> last_ = 0;
};

}  // namespace townpost
