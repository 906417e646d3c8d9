#include "store/postgres_bell.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"

namespace townpost {

namespace {
constexpr Millis kFirstPause(100);
constexpr Millis kLongestPause(2'000);
}  // namespace

Result<std::unique_ptr<PostgresBell>> PostgresBell::open(const std::string& url) {
  TRY(pq, Libpq::load());
  TRY(address, PostgresAddress::parse(pq, url));
  return std::unique_ptr<PostgresBell>(new PostgresBell(pq, std::move(address)));
}

bool PostgresBell::begin_to_listen() {
  if (link_.up()) return true;
  if (!link_.connect(std::nullopt) || !link_.listen()) {
    link_.close();
    return false;
  }
  ++deaf_times_;
  return true;
}

void PostgresBell::hear() {
  for (const auto& told : link_.notifications())
    for (const auto name : split(told, ' ')) ++rings_[std::string(name)];
}

std::int64_t PostgresBell::rings(const BellKey& key) const {
  const auto found = rings_.find(key.name);
  return deaf_times_ + (found == rings_.end() ? 0 : found->second);
}

std::int64_t PostgresBell::stamp(const BellKey& key) {
  begin_to_listen();
  hear();
  return rings(key);
}

void PostgresBell::wait(const BellKey& key, std::int64_t seen, Millis longest) {
  using Timer = std::chrono::steady_clock;
  const auto until = Timer::now() + longest;
  auto pause = kFirstPause;
  while (true) {
    hear();
    if (rings(key) != seen) return;
    const auto left = std::chrono::ceil<Millis>(until - Timer::now());
    if (left <= Millis(0)) return;
    if (link_.up()) {
      pollfd told{.fd = link_.socket(), .events = POLLIN, .revents = 0};
      ::poll(&told, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
      continue;
    }
    // Once it is back, the caller looks again: what rang meanwhile was not heard.
    if (begin_to_listen()) continue;
    std::this_thread::sleep_for(std::min(pause, left));
    pause = std::min(pause * 2, kLongestPause);
  }
}

void PostgresBell::wait_for_any(const std::vector<int>& also, Millis longest) {
  const bool heard_all = link_.up();
  if (begin_to_listen() && !heard_all) return;  // what rang before we listened was not heard
  if (!link_.notifications().empty()) return;
  std::vector<pollfd> ready = {{.fd = link_.up() ? link_.socket() : -1, .events = POLLIN, .revents = 0}};
  for (const int fd : also) ready.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  const Millis most = link_.up() ? longest : std::min(longest, kLongestPause);
  ::poll(ready.data(), ready.size(), static_cast<int>(most.count()));
}

}  // namespace townpost
