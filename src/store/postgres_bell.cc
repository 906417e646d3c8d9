#include "store/postgres_bell.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "post/town/listening.h"

namespace townpost {

namespace {

constexpr Millis kFirstPause(100);
constexpr Millis kLongestPause(2'000);
constexpr Millis kLongestConnect(5'000);  // others who wait cannot go meanwhile
/// A network that is cut is as silent as a town in which nothing happens, and so is a pool of connections that takes
/// LISTEN and never tells anything.
constexpr Millis kSilenceTrusted(15'000);

/// Readable once somebody calls.
class Knock {
 public:
  Knock() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int fd() const { return event_.get(); }
  void knock() const {
    constexpr std::uint64_t kOnce = 1;
    (void)!::write(event_.get(), &kOnce, sizeof kOnce);  // one that is full was told
  }
  void answer() const {
    std::uint64_t times = 0;
    (void)!::read(event_.get(), &times, sizeof times);
  }

 private:
  FileDescriptor event_;
};

}  // namespace

/// One listener's place: what rang for it since it asked last. The bell's mutex guards it, but for the knock.
class PostgresBell::Seat {
 public:
  explicit Seat(std::optional<std::set<std::string>> wanted) : wanted_(std::move(wanted)) {}

  void tell(std::string_view name) {
    if ((wanted_ && !wanted_->contains(std::string(name))) || !rung_.emplace(name).second) return;
    knock_.knock();
  }
  void add_to(PostgresLink::Bells& bells) const {
    bells.all = bells.all || !wanted_;
    if (wanted_) bells.names.insert(wanted_->begin(), wanted_->end());
  }
  void tell_of_a_gap() {
    missed_ = true;
    knock_.knock();
  }
  Heard take() {
    Heard heard{.bells = {}, .told = {}, .missed = std::exchange(missed_, false)};
    for (const auto& name : std::exchange(rung_, {})) heard.bells.push_back(BellKey::named(name));
    return heard;
  }
  const Knock& door() const { return knock_; }
  bool waits = false;

 private:
  std::optional<std::set<std::string>> wanted_;  ///< nothing: all
  std::set<std::string> rung_;
  bool missed_ = false;
  Knock knock_;
};

Result<std::unique_ptr<PostgresBell>> PostgresBell::open(const std::string& url) {
  TRY(pq, Libpq::load());
  TRY(address, PostgresAddress::parse(pq, url));
  return std::unique_ptr<PostgresBell>(new PostgresBell(pq, std::move(address)));
}

PostgresBell::PostgresBell(const Libpq& pq, PostgresAddress address) : link_(pq, std::move(address)) {
  link_.hurry(kLongestConnect);
}

bool PostgresBell::begin_to_listen(const Seat* joining) {
  const bool was_up = link_.up();
  PostgresLink::Bells bells;
  for (const auto* seat : seats_) seat->add_to(bells);
  if ((!was_up && !link_.connect(kLongestConnect)) || !link_.listen(std::move(bells))) {
    link_.close();
    if (was_up) wake_the_leader();
    return false;
  }
  hear();  // what came along with the server's answer is at the socket no longer
  // What rang meanwhile was not heard, so everybody looks again.
  if (!was_up)
    for (auto* seat : seats_)
      if (seat != joining) seat->tell_of_a_gap();
  return true;
}

void PostgresBell::wake_the_leader() {
  if (leader_) leader_->door().knock();
}

void PostgresBell::hear() {
  const bool was_up = link_.up();
  for (const auto& told : link_.notifications())
    for (const auto name : split(told, ' '))
      for (auto* seat : seats_) seat->tell(name);
  // Whoever reads the connection may be about to sleep at a socket that is closed now.
  if (was_up && !link_.up()) wake_the_leader();
}

int PostgresBell::take_the_lead(Seat& seat) {
  const MutexLock lock(mutex_);
  seat.waits = true;
  if (!leader_) leader_ = &seat;
  if (leader_ != &seat) return -1;
  begin_to_listen(nullptr);
  return link_.socket();
}

void PostgresBell::leave_the_lead(const Seat& seat) {
  const MutexLock lock(mutex_);
  for (auto* other : seats_)
    if (other == &seat) other->waits = false;
  if (leader_ != &seat) return;
  leader_ = nullptr;
  const auto next = std::find_if(seats_.begin(), seats_.end(), [](const Seat* other) { return other->waits; });
  if (next != seats_.end()) (*next)->door().knock();
}

Heard PostgresBell::heard_by(Seat& seat) {
  const MutexLock lock(mutex_);
  seat.door().answer();
  hear();
  return seat.take();
}

bool PostgresBell::is_connected() {
  const MutexLock lock(mutex_);
  return link_.up();
}

/// Hears the bells of the server, and what is to be heard in a place of this host.
template <class Place>
class PostgresBell::ListenerBeside final : public Listener {
 public:
  template <class... Parts>
  ListenerBeside(PostgresBell& bell, std::optional<std::set<std::string>> wanted, Parts&&... parts)
      : bell_(bell), seat_(std::move(wanted)), place_(std::forward<Parts>(parts)...) {
    const MutexLock lock(bell_.mutex_);
    bell_.hear();  // what rang before is not for this one
    bell_.seats_.push_back(&seat_);
    bell_.begin_to_listen(&seat_);  // from here on no ring is missed
  }
  ~ListenerBeside() override {
    const MutexLock lock(bell_.mutex_);
    bell_.seats_.remove(&seat_);
  }
  ListenerBeside(const ListenerBeside&) = delete;
  ListenerBeside& operator=(const ListenerBeside&) = delete;
  std::string refusal() const override { return place_.refusal(); }
  Millis trusted() const override { return place_.refusal().empty() ? kSilenceTrusted : kUnwatchedLook; }

  Heard wait(const std::vector<int>& also, Millis longest) override {
    Heard heard = wait_in_turn(also, longest);
    bell_.leave_the_lead(seat_);
    return heard;
  }

 private:
  Heard wait_in_turn(const std::vector<int>& also, Millis longest);
  PostgresBell& bell_;
  Seat seat_;
  Place place_;
};

template <class Place>
Heard PostgresBell::ListenerBeside<Place>::wait_in_turn(const std::vector<int>& also, Millis longest) {
  using Timer = std::chrono::steady_clock;
  const auto until = Timer::now() + longest;
  auto pause = kFirstPause;
  Heard heard = bell_.heard_by(seat_);
  while (heard.nothing()) {
    const auto left = std::max(std::chrono::ceil<Millis>(until - Timer::now()), Millis(0));
    auto most = place_.refusal().empty() ? left : std::min(left, kUnwatchedLook);
    const int socket = bell_.take_the_lead(seat_);
    if (!bell_.is_connected()) {
      most = std::min(most, pause);
      pause = std::min(pause * 2, kLongestPause);
    }
    const auto woken = sleep_at({socket, seat_.door().fd(), place_.fd()}, also, most);
    heard = place_.heard();
    auto rung = bell_.heard_by(seat_);
    heard.bells = std::move(rung.bells);
    heard.missed = heard.missed || rung.missed;
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
