#pragma once
#include <chrono>
#include <stop_token>

#include "base/clock.h"

namespace townpost {

/// The end of a wait: a point on the clock that nobody can turn, how long it was, for messages, and who may call it off
/// before.
struct Deadline {
  static Deadline in(Millis wait, std::stop_token stop = {});
  /// This one, or the end of a `shorter` wait from now if that is earlier.
  Deadline or_in(Millis shorter) const;
  /// What is left for poll(): 0 once it has passed.
  int left_ms() const;
  bool is_called_off() const { return stop.stop_requested(); }

  std::chrono::steady_clock::time_point at;
  Millis wait{0};
  std::stop_token stop;
};

/// Waits until `fd` is ready for `events` (POLLIN, POLLOUT). False at the deadline. Nobody can call it off.
bool wait_for(int fd, short events, const Deadline& deadline);

}  // namespace townpost
