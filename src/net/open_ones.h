#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"

namespace townpost {

/// The connections that a server has open; each may have to do something by a certain time, One::due(). For the loop's
/// thread, but for size() and await_none(), which any thread may call.
template <class One>
class OpenOnes {
 public:
  using Time = std::chrono::steady_clock;

  void add(const std::shared_ptr<One>& one) {
    const MutexLock lock(mutex_);
    ones_.insert(one);
    count_ = ones_.size();
  }
  void forget(const std::shared_ptr<One>& one) {
    const MutexLock lock(mutex_);
    ones_.erase(one);
    count_ = ones_.size();
    if (ones_.empty()) none_left_.notify_all();
  }
  bool has(const std::shared_ptr<One>& one) const { return ones_.count(one) > 0; }
  auto begin() const { return ones_.begin(); }
  auto end() const { return ones_.end(); }
  /// For whoever may lose some of them on the way.
  std::vector<std::shared_ptr<One>> all() const { return {ones_.begin(), ones_.end()}; }
  std::size_t size() const { return count_; }

  /// Calls `late` for those whose time has come; when the next one's will.
  template <class Late>
  std::optional<Time::time_point> sweep(const Late& late) const {
    const auto now = Time::now();
    for (const auto& one : all())
      if (one->due() && *one->due() <= now) late(*one);
    std::optional<Time::time_point> next;
    for (const auto& one : ones_)
      if (one->due() && (!next || *one->due() < *next)) next = one->due();
    return next;
  }
  void await_none(Time::time_point until) {
    MutexLock lock(mutex_);
    while (count_ > 0 && Time::now() < until) none_left_.wait_until(lock, until);
  }

 private:
  std::unordered_set<std::shared_ptr<One>> ones_;
  std::atomic<std::size_t> count_ = 0;
  Mutex mutex_;
  Signal none_left_;
};

}  // namespace townpost
