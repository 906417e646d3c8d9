#pragma once
#include <map>
#include <mutex>
#include <vector>

#include "post/town/bell.h"

namespace townpost {

/// A bell that only counts its rings, from any thread. Nobody waits at it.
class CountingBell final : public Bell {
 public:
  void ring(const BellKey& key) override {
    const std::lock_guard lock(mutex_);
    ++rings_[key];
  }
  std::int64_t stamp(const BellKey& key) override {
    const std::lock_guard lock(mutex_);
    return rings_[key];
  }
  void wait(const BellKey&, std::int64_t, Millis) override {}
  void wait_for_any(const std::vector<int>&, Millis) override {}
  bool stamps_last() const override { return true; }

 private:
  std::mutex mutex_;
  std::map<BellKey, std::int64_t> rings_;
};

}  // namespace townpost
