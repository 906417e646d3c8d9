#include "ops/bounded_engine.h"

#include "base/text.h"

namespace townpost {

Result<> BoundedEngine::take_turn(const Request& request) {
  MutexLock lock(mutex_);
  if (running_ >= bounds_.running) {
    if (waiting_ >= bounds_.waiting)
      return fail(Code::unavailable, cat("too busy: ", waiting_, " calls wait for their turn"),
                  "try again in a moment");
    ++waiting_;
    Result<> wanted;
    while (running_ >= bounds_.running && (wanted = request.check(clock_.now())))
      left_.wait_until(lock, std::chrono::steady_clock::now() + kTurnLook);
    --waiting_;
    if (!wanted) {
      left_.notify_one();  // the place that woke us is another's
      return wanted;
    }
  }
  ++running_;
  return {};
}

void BoundedEngine::leave() {
  {
    const MutexLock lock(mutex_);
    --running_;
  }
  left_.notify_one();
}

Result<Answer> BoundedEngine::call(const Op& op, const Args& args, Request& request) {
  TRY_VOID(take_turn(request));
  auto answer = engine_.call(op, args, request);
  leave();
  return answer;
}

}  // namespace townpost
