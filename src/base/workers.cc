#include "base/workers.h"

#include <system_error>
#include <utility>

namespace townpost {

Workers::~Workers() { finish(); }

bool Workers::give(std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (finishing_) return false;
  if (waiting_.size() >= idle_ && !begin_thread()) {
    if (threads_ == 0 || waiting_.size() - idle_ >= bounds_.waiting) return false;
  }
  waiting_.push_back(std::move(work));
  arrived_.notify_one();
  return true;
}

bool Workers::begin_thread() {
  if (threads_ == bounds_.threads) return false;
  try {
    // Detached, so that one that leaves need not be collected; finish() counts.
    std::thread([this] { work_until_idle(); }).detach();
  } catch (const std::system_error&) {
    return false;  // the system has no more
  }
  ++threads_;
  ++idle_;  // until it takes its first work
  return true;
}

void Workers::work_until_idle() {
  MutexLock lock(mutex_);
  while (true) {
    // It counts as idle until here.
    if (!waiting_.empty()) {
      --idle_;
      auto work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
      work = nullptr;  // what it holds goes before the lock comes
      lock.lock();
      ++idle_;
      continue;
    }
    if (finishing_) break;
    const auto woken = arrived_.wait_until(lock, std::chrono::steady_clock::now() + bounds_.idle);
    if (woken == std::cv_status::timeout && waiting_.empty()) break;
  }
  --idle_;
  --threads_;
  left_.notify_all();  // under the lock: whoever waits for the last of us takes everything away
}

void Workers::finish() {
  MutexLock lock(mutex_);
  finishing_ = true;
  arrived_.notify_all();
  while (threads_ > 0) left_.wait(lock);
}

}  // namespace townpost
