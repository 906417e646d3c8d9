#pragma once
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ear.h"
#include "base/folder_watch.h"
#include "post/town/bell.h"

namespace townpost {

// What listeners are made of: something to sleep at, and what was heard there. For one thread.

/// The kernel loses no ring, but whoever was to ring may be killed between its commit and that.
constexpr Millis kTrusted = std::chrono::minutes(10);

/// Ears in some folders, those of bells among them.
class EarsAt {
 public:
  EarsAt(std::map<std::filesystem::path, BellKey> bells, const std::vector<std::filesystem::path>& folders);
  int fd() const { return ear_.fd(); }
  std::string refusal() const;
  Heard heard();

 private:
  std::map<std::filesystem::path, BellKey> bells_;
  bool is_needed_;
  Ear ear_;
};

/// A watch over what is written into some folders; that of the bells may be among them.
class WatchAt {
 public:
  WatchAt(std::filesystem::path bells, std::vector<std::filesystem::path> folders);
  int fd() const { return watch_.fd(); }
  std::string refusal() const { return watch_.refusal(); }
  Heard heard();

 private:
  std::filesystem::path bells_;  ///< empty: they are heard elsewhere
  FolderWatch watch_;
};

enum class Woken { by_time, by_own, by_others };
/// Sleeps until `own` or one of `others` is readable, or `longest` has passed.
Woken sleep_at(std::initializer_list<int> own, const std::vector<int>& others, Millis longest);

/// Hears what is to be heard in one place.
template <class Place>
class ListenerAt final : public Listener {
 public:
  template <class... Parts>
  explicit ListenerAt(Parts&&... parts) : place_(std::forward<Parts>(parts)...) {}
  Heard wait(const std::vector<int>& also, Millis longest) override;
  std::string refusal() const override { return place_.refusal(); }
  Millis trusted() const override { return refusal().empty() ? kTrusted : kUnwatchedLook; }

 private:
  Place place_;
};

template <class Place>
Heard ListenerAt<Place>::wait(const std::vector<int>& also, Millis longest) {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (true) {
    const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
    const auto most = place_.refusal().empty() ? left : std::min(left, kUnwatchedLook);
    const auto woken = sleep_at({place_.fd()}, also, std::max(most, Millis(0)));
    Heard heard = place_.heard();
    if (!heard.nothing() || woken == Woken::by_others || left <= Millis(0)) return heard;
  }
}

}  // namespace townpost
