#include "daemon/loop.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kTrouble = std::chrono::seconds(5);
constexpr Millis kLongestSleep = std::chrono::minutes(1);

}  // namespace

void Loop::run(const std::vector<Service*>& services) {
  while (true) {
    Instant next = clock_.now() + kLongestSleep;
    std::vector<int> ends = {signals_.fd()};
    for (auto* service : services) {
      const auto wanted = service->round();
      if (service->is_over()) return;
      if (!wanted) log_.line(cat(name(wanted.error().code), ": ", wanted.error().message));
      next = std::min(next, wanted.value_or(clock_.now() + kTrouble));
      for (const int end : service->descriptors()) ends.push_back(end);
    }
    const Heard heard = listener_.wait(ends, std::max(next - clock_.now(), Millis(0)));
    for (const int number : signals_.read())
      for (auto* service : services)
        if (service->hear_signal(number) == Service::Then::end) return;
    for (auto* service : services) service->hear(heard);
  }
}

}  // namespace townpost
