#pragma once
#include "base/mutex.h"
#include "ops/engine.h"

namespace townpost {

/// Another engine, for more callers than it should serve at once: so many calls run, so many wait for their turn, and
/// whoever comes then is told to come again. Whoever waits for its turn leaves at its deadline, or when it is
/// cancelled. Safe for many threads.
class BoundedEngine final : public Engine {
 public:
  struct Bounds {
    std::size_t running = 16;
    std::size_t waiting = 256;
  };
  BoundedEngine(Engine& engine, const Clock& clock, Bounds bounds) : engine_(engine), clock_(clock), bounds_(bounds) {}

  /// Error: unavailable if too many wait already, timeout if its time was over before its turn came.
  Result<Answer> call(const Op& op, const Args& args, Request& request) override;
  Result<> handed_over(Request& request) override { return engine_.handed_over(request); }
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override {
    return engine_.pause(again, request);
  }

 private:
  Result<> take_turn(const Request& request);
  void leave();

  Engine& engine_;
  const Clock& clock_;
  const Bounds bounds_;
  Mutex mutex_;
  Signal left_;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
};

}  // namespace townpost
