#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace townpost {

// Locks that clang watches over (-Wthread-safety): a member that is GUARDED_BY a mutex may be touched only while it is
// held, and a function that REQUIRES one may be called only then.

#if defined(__clang__)
#define TOWNPOST_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define TOWNPOST_THREAD_ANNOTATION(x)
#endif
#define GUARDED_BY(mutex) TOWNPOST_THREAD_ANNOTATION(guarded_by(mutex))
#define REQUIRES(...) TOWNPOST_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))

class TOWNPOST_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds the mutex while it lives; it may be let go and taken again in between.
class TOWNPOST_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TOWNPOST_THREAD_ANNOTATION(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() TOWNPOST_THREAD_ANNOTATION(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  void lock() TOWNPOST_THREAD_ANNOTATION(acquire_capability()) { lock_.lock(); }
  void unlock() TOWNPOST_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }

 private:
  friend class Signal;
  std::unique_lock<std::mutex> lock_;
};

/// What threads wait for that hold a mutex: they let go of it meanwhile. May wake up for nothing, so whoever waits asks
/// again whether it has come.
class Signal {
 public:
  void wait(MutexLock& lock) { changed_.wait(lock.lock_); }
  std::cv_status wait_until(MutexLock& lock, std::chrono::steady_clock::time_point at) {
    return changed_.wait_until(lock.lock_, at);
  }
  void notify_one() { changed_.notify_one(); }
  void notify_all() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace townpost
