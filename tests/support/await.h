#pragma once
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace townpost {

/// What has not come after so long never will, on a busy machine neither.
constexpr auto kLongestWait = std::chrono::minutes(2);

/// Looks again and again until the condition holds, ever less often: a look may be a process. Throws if it never does,
/// with `what` and whatever `more` knows.
template <class Condition, class More>
void await(std::string_view what, const Condition& condition, const More& more) {
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  std::chrono::milliseconds pause(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error("this never came: " + std::string(what) + more());
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(64));
  }
}

template <class Condition>
void await(std::string_view what, const Condition& condition) {
  await(what, condition, [] { return std::string(); });
}

}  // namespace townpost
