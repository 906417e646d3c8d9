#include "store/db/server_time.h"

#include <algorithm>
#include <ctime>

namespace townpost {

std::int64_t ServerTime::ticks_since_start() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);  // goes on while the machine sleeps
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

Instant ServerTime::not_before(std::int64_t us) const {
  auto last = last_.load();
  while (last < us && !last_.compare_exchange_weak(last, us)) {
  }
  return {std::max(last, us) / 1'000};
}

Instant ServerTime::now() const { return not_before(ticks_() + offset_); }

void ServerTime::learn(std::int64_t server_us) {
  // The answer took its time, so this lags a little behind the server; it never runs ahead.
  offset_ = server_us - ticks_();
  (void)not_before(server_us);
}

}  // namespace townpost
