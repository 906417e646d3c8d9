#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include "base/clock.h"

namespace townpost {

class LoopCore;

/// One loop of events with one thread of its own, for everything that listens. Whatever runs in it must not block. What
/// is thrown in it is told and ends nothing. Any thread may use it; servers that were given it end before it does.
class ServerLoop {
 public:
  using Trouble = std::function<void(std::string_view what)>;
  /// `trouble` hears, in the loop's thread, what was thrown there: a bug of ours.
  explicit ServerLoop(Trouble trouble = {});
  ~ServerLoop();
  ServerLoop(const ServerLoop&) = delete;
  ServerLoop& operator=(const ServerLoop&) = delete;

  void start();
  /// Returns once its thread has ended; what waits in it is dropped. Not to be called in the loop, which it cannot
  /// leave that way.
  void stop();

  /// Runs it soon, in the order of the calls. After the end: never.
  void post(std::function<void()> work);
  void after(Millis wait, std::function<void()> work);
  /// Whether the calling thread is the loop's.
  bool is_here() const;

  /// For what listens in src/net.
  const std::shared_ptr<LoopCore>& core() const { return core_; }

 private:
  std::shared_ptr<LoopCore> core_;
  std::thread thread_;
};

}  // namespace townpost
