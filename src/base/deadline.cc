#include "base/deadline.h"

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace townpost {

using Timer = std::chrono::steady_clock;

Deadline Deadline::in(Millis wait, std::stop_token stop) {
  constexpr Millis kFarOff = std::chrono::years(1);  // far enough, and cannot overflow the clock
  return {Timer::now() + std::min(wait, kFarOff), wait, std::move(stop)};
}

Deadline Deadline::or_in(Millis shorter) const {
  const auto other = in(shorter, stop);
  return other.at < at ? other : *this;
}

int Deadline::left_ms() const {
  const auto left = std::chrono::ceil<Millis>(at - Timer::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

bool wait_for(int fd, short events, const Deadline& deadline) {
  while (true) {
    pollfd watched{.fd = fd, .events = events, .revents = 0};
    const int left = deadline.left_ms();
    if (poll(&watched, 1, left) > 0) return true;
    if (left == 0) return false;
  }
}

}  // namespace townpost
