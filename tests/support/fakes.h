#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "post/town/bell.h"
#include "post/town/listening.h"

namespace townpost {

/// A bell that counts its rings, from any thread. Whoever listens to all hears them, but never waits for one.
class CountingBell final : public Bell {
 public:
  void ring(const BellKey& key) override {
    const std::lock_guard lock(mutex_);
    ++rings_[key];
    unheard_.insert(key);
  }
  std::optional<std::int64_t> stamp(const BellKey& key) override { return rings(key); }
  std::int64_t rings(const BellKey& key) {
    const std::lock_guard lock(mutex_);
    return rings_[key];
  }
  std::unique_ptr<Listener> listen_to_all(const std::vector<std::filesystem::path>& folders) override {
    (void)take_unheard();
    return std::make_unique<Ears>(*this, folders);
  }

 private:
  class Ears final : public Listener {
   public:
    Ears(CountingBell& bell, const std::vector<std::filesystem::path>& folders) : bell_(bell), place_("", folders) {}
    Heard wait(const std::vector<int>&, Millis) override {
      Heard heard = place_.heard();
      heard.bells = bell_.take_unheard();
      return heard;
    }
    Millis trusted() const override { return place_.refusal().empty() ? kTrusted : kUnwatchedLook; }

   private:
    CountingBell& bell_;
    WatchAt place_;
  };
  std::vector<BellKey> take_unheard() {
    const std::lock_guard lock(mutex_);
    std::vector<BellKey> out(unheard_.begin(), unheard_.end());
    unheard_.clear();
    return out;
  }
  std::mutex mutex_;
  std::map<BellKey, std::int64_t> rings_;
  std::set<BellKey> unheard_;
};

}  // namespace townpost
