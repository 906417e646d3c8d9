#include "store/postgres_bell.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/text.h"
#include "post/town/listening.h"

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
  is_heard_whole_ = false;
  return true;
}

void PostgresBell::hear() {
  for (const auto& told : link_.notifications())
    for (const auto name : split(told, ' ')) {
      ++rings_[std::string(name)];
      rung_.emplace(name);
    }
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

std::optional<std::set<std::string>> PostgresBell::rung_since() {
  begin_to_listen();
  hear();
  auto rung = std::exchange(rung_, {});
  return std::exchange(is_heard_whole_, true) ? std::optional(std::move(rung)) : std::nullopt;
}

/// Hears the bells of the server, and what is to be heard in a place of this host. Everybody is told of every ring:
/// those that do not concern it are passed over here, and whoever waits sleeps on.
template <class Place>
class PostgresBell::ListenerBeside final : public Listener {
 public:
  template <class... Parts>
  ListenerBeside(PostgresBell& bell, std::optional<std::set<std::string>> wanted, Parts&&... parts)
      : bell_(bell), wanted_(std::move(wanted)), place_(std::forward<Parts>(parts)...) {
    (void)bell_.rung_since();  // from here on no ring is missed
  }
  std::string refusal() const override { return place_.refusal(); }
  Heard wait(const std::vector<int>& also, Millis longest) override;

 private:
  void add_rung(Heard& heard);
  PostgresBell& bell_;
  std::optional<std::set<std::string>> wanted_;  ///< nothing: all
  Place place_;
};

template <class Place>
void PostgresBell::ListenerBeside<Place>::add_rung(Heard& heard) {
  const auto rung = bell_.rung_since();
  // Once it is back, the caller looks again: what rang meanwhile was not heard.
  if (!rung) heard.missed = bell_.link_.up();
  if (!rung) return;
  for (const auto& name : *rung)
    if (!wanted_ || wanted_->contains(name)) heard.bells.push_back(BellKey::named(name));
}

template <class Place>
Heard PostgresBell::ListenerBeside<Place>::wait(const std::vector<int>& also, Millis longest) {
  using Timer = std::chrono::steady_clock;
  const auto until = Timer::now() + longest;
  auto pause = kFirstPause;
  Heard heard;
  add_rung(heard);
  while (heard.nothing()) {
    const auto left = std::max(std::chrono::ceil<Millis>(until - Timer::now()), Millis(0));
    auto most = place_.refusal().empty() ? left : std::min(left, kUnwatchedLook);
    if (!bell_.link_.up()) {
      most = std::min(most, pause);
      pause = std::min(pause * 2, kLongestPause);
    }
    const auto woken = sleep_at({bell_.link_.socket(), place_.fd()}, also, most);
    heard = place_.heard();
    add_rung(heard);
    if (woken == Woken::by_others || left == Millis(0)) break;
  }
  return heard;
}

std::unique_ptr<Listener> PostgresBell::listen(const std::vector<BellKey>& keys,
                                               const std::vector<std::filesystem::path>& folders) {
  std::set<std::string> names;
  for (const auto& key : keys) names.insert(key.name);
  return std::make_unique<ListenerBeside<EarsAt>>(*this, std::move(names), std::map<std::filesystem::path, BellKey>(),
                                                  folders);
}

std::unique_ptr<Listener> PostgresBell::listen_to_all(const std::vector<std::filesystem::path>& folders) {
  return std::make_unique<ListenerBeside<WatchAt>>(*this, std::nullopt, std::filesystem::path(), folders);
}

}  // namespace townpost
