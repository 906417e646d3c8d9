#include "post/town/listening.h"

#include <poll.h>

#include <algorithm>

namespace townpost {

namespace {

std::vector<std::filesystem::path> with_those_of(const std::map<std::filesystem::path, BellKey>& bells,
                                                 std::vector<std::filesystem::path> folders) {
  for (const auto& [folder, key] : bells) folders.push_back(folder);
  return folders;
}

std::vector<std::filesystem::path> with(const std::filesystem::path& bells,
                                        std::vector<std::filesystem::path> folders) {
  if (!bells.empty()) folders.push_back(bells);
  return folders;
}

}  // namespace

EarsAt::EarsAt(std::map<std::filesystem::path, BellKey> bells, const std::vector<std::filesystem::path>& folders)
    : bells_(std::move(bells)), is_needed_(!bells_.empty() || !folders.empty()), ear_(with_those_of(bells_, folders)) {}

std::string EarsAt::refusal() const {
  return ear_.can_hear() || !is_needed_ ? "" : "no pipe can be made in the folder run/ear of the town";
}

Heard EarsAt::heard() {
  Heard out;
  for (auto& folder : ear_.heard()) {
    const auto bell = bells_.find(folder);
    if (bell != bells_.end())
      out.bells.push_back(bell->second);
    else
      out.told.push_back(std::move(folder));
  }
  return out;
}

WatchAt::WatchAt(std::filesystem::path bells, std::vector<std::filesystem::path> folders)
    : bells_(std::move(bells)), watch_(with(bells_, std::move(folders))) {}

Heard WatchAt::heard() {
  auto changes = watch_.read();
  Heard out{.bells = {}, .told = {}, .missed = changes.missed};
  for (auto& file : changes.files) {
    if (!bells_.empty() && file.parent_path() == bells_)
      out.bells.push_back(BellKey::named(file.filename().string()));
    else
      out.told.push_back(std::move(file));
  }
  return out;
}

Woken sleep_at(std::initializer_list<int> own, const std::vector<int>& others, Millis longest) {
  constexpr Millis kMost = std::chrono::hours(1);
  std::vector<pollfd> ends;
  for (const int fd : own) ends.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  for (const int fd : others) ends.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  if (::poll(ends.data(), ends.size(), static_cast<int>(std::min(longest, kMost).count())) <= 0) return Woken::by_time;
  const auto first = ends.begin() + static_cast<std::ptrdiff_t>(own.size());
  return std::any_of(first, ends.end(), [](const pollfd& end) { return end.revents != 0; }) ? Woken::by_others
                                                                                            : Woken::by_own;
}

}  // namespace townpost
