#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace townpost {

/// Threads for work that may wait: made when there is work for them, gone after a while without. So many run, so much
/// more waits for one of them, and whoever brings more is told to come again. Any thread may bring work.
class Workers {
 public:
  struct Bounds {
    std::size_t threads = 64;
    std::size_t waiting = 1024;
    std::chrono::milliseconds idle = std::chrono::seconds(10);  ///< so long a thread stays for the next work
  };
  explicit Workers(Bounds bounds) : bounds_(bounds) {}
  /// Everything that was taken on is done first.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Whether it was taken on. It must not throw.
  [[nodiscard]] bool give(std::function<void()> work);
  /// Nothing more is taken on; returns once everything is done.
  void finish();

 private:
  bool begin_thread() REQUIRES(mutex_);
  void work_until_idle();

  const Bounds bounds_;
  Mutex mutex_;
  Signal arrived_;
  Signal left_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::size_t threads_ GUARDED_BY(mutex_) = 0;
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool finishing_ GUARDED_BY(mutex_) = false;
};

}  // namespace townpost
