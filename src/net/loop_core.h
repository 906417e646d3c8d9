#pragma once
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/mutex.h"
#include "net/server_loop.h"

namespace townpost {

/// What a ServerLoop and those who listen on it share. It may outlive the loop; then nothing runs any more.
class LoopCore {
 public:
  explicit LoopCore(ServerLoop::Trouble trouble) : trouble_(std::move(trouble)) {}

  void begin();
  /// Runs from begin() until end(), in the thread that calls it.
  void run();
  void end();
  /// Drops everything that still waits. Nothing is watched any more by then.
  void drop_all() { context_.reset(); }

  /// False after the end: it will never run.
  bool post(std::function<void()> work);
  void after(Millis wait, std::function<void()> work);
  bool is_here() const { return thread_.load() == std::this_thread::get_id(); }
  /// Runs it in the loop and waits for its end; right here where nobody runs the loop.
  void run_inside(const std::function<void()>& work);
  void tell_trouble(std::string_view what) noexcept;

  boost::asio::io_context& context() { return *context_; }

 private:
  enum class State { before, running, over };
  bool is_running();

  ServerLoop::Trouble trouble_;
  std::optional<boost::asio::io_context> context_{std::in_place, 1};
  std::atomic<std::thread::id> thread_{};
  Mutex mutex_;
  State state_ GUARDED_BY(mutex_) = State::before;
};

/// One timer for many: rings at the earliest moment that was asked for, a little later than that at most, and forgets
/// the others. For the loop's thread.
class LoopAlarm : public std::enable_shared_from_this<LoopAlarm> {
 public:
  using Time = std::chrono::steady_clock;
  LoopAlarm(std::shared_ptr<LoopCore> loop, std::function<void()> ring)
      : loop_(std::move(loop)), ring_(std::move(ring)) {}
  void ring_at(Time::time_point at);

 private:
  std::shared_ptr<LoopCore> loop_;
  std::function<void()> ring_;
  std::optional<Time::time_point> at_;
};

/// Who is told that a descriptor is ready, once for each time it asked.
class EndWatcher {
 public:
  virtual ~EndWatcher() = default;
  virtual void readable() = 0;
  virtual void writable() = 0;
};

/// A descriptor that the loop watches; closed at the end, and nobody is told anything after that. For the loop's
/// thread.
class Watched {
 public:
  Watched(LoopCore& core, FileDescriptor fd);
  ~Watched() { descriptor_.release(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  int fd() const { return fd_.get(); }
  void await_readable(std::shared_ptr<EndWatcher> watcher);
  void await_writable(std::shared_ptr<EndWatcher> watcher);

 private:
  FileDescriptor fd_;
  boost::asio::posix::stream_descriptor descriptor_;  // only lends it
};

}  // namespace townpost
