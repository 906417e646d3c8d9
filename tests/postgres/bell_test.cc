#include <algorithm>
#include <chrono>
#include <thread>

#include "postgres/fixture.h"
#include "store/postgres_bell.h"
#include "support/await.h"
#include "support/stress.h"

namespace townpost {
namespace {

/// The connections that listen to bells of this town.
const std::string kListening = cat("pg_stat_activity WHERE query LIKE 'LISTEN \"' || ", PostgresLink::kChannel,
                                   " || '%' AND datname = current_database()");
constexpr Millis kAges = kLongestWait;  // a test that waits so long has failed

class PostgresBellTest : public PostgresTest {
 protected:
  PostgresBell& bell() { return *bell_; }
  void ring(const std::vector<BellKey>& keys) {
    SqlStore store(connect(), nullptr);
    must(store.write([&](Ledger& ledger) -> Result<> {
      for (const auto& key : keys) ledger.ring(key);
      return {};
    }));
  }
  void cut_bell() { must(outside().run(Sql::kept(cat("SELECT pg_terminate_backend(pid, 10000) FROM ", kListening)))); }

 private:
  std::unique_ptr<PostgresBell> bell_ = must(PostgresBell::open(url()));
};

TEST_F(PostgresBellTest, IsRungByTheCommitOfAnotherConnection) {
  const auto listener = bell().listen({AgentId{7}, QueueId{7}, AgentId{77}}, {});
  ring({AgentId{7}, QueueId{7}});
  EXPECT_EQ(listener->wait({}, kAges).bells, (std::vector<BellKey>{AgentId{7}, QueueId{7}}));
}

TEST_F(PostgresBellTest, WakesWhoSleeps) {
  const auto listener = bell().listen({AgentId{7}}, {});
  std::thread later([&] { ring({AgentId{7}}); });
  EXPECT_EQ(listener->wait({}, kAges).bells, std::vector<BellKey>{AgentId{7}});
  later.join();
}

TEST_F(PostgresBellTest, SleepsOnWhenAnotherRings) {
  const auto listener = bell().listen({AgentId{7}}, {});
  ring({AgentId{8}});
  EXPECT_TRUE(listener->wait({}, Millis(50)).nothing());
}

TEST_F(PostgresBellTest, SleepsOnWhenATownInAnotherSchemaRings) {
  const auto listener = bell().listen({AgentId{7}, AgentId{8}}, {});
  const auto elsewhere = SharedPostgres::make_schema();
  must(migrate(*must(PostgresDatabase::open(elsewhere, std::nullopt))));
  SqlStore other(must(PostgresDatabase::open(elsewhere, std::nullopt)), nullptr);
  must(other.write([&](Ledger& ledger) -> Result<> {
    ledger.ring(AgentId{7});
    return {};
  }));
  ring({AgentId{8}});
  EXPECT_EQ(listener->wait({}, kAges).bells, std::vector<BellKey>{AgentId{8}})
      << "what was committed before comes first";
  SharedPostgres::drop_schema(elsewhere);
}

TEST_F(PostgresBellTest, AListenerIsToldWhoRang) {
  const auto listener = bell().listen_to_all({});
  ring({AgentId{7}, QueueId{7}, BellKey::registry()});
  EXPECT_EQ(listener->wait({}, kAges).bells, (std::vector<BellKey>{AgentId{7}, QueueId{7}, BellKey::registry()}));
  EXPECT_TRUE(listener->wait({}, Millis(0)).nothing());
}

TEST_F(PostgresBellTest, AListenerThatLostItsConnectionIsToldThatItMissedSomething) {
  const auto listener = bell().listen({AgentId{7}}, {});
  cut_bell();
  EXPECT_TRUE(listener->wait({}, kAges).missed);
  ring({AgentId{7}});
  EXPECT_EQ(listener->wait({}, kAges).bells, std::vector<BellKey>{AgentId{7}});
}

/// So many threads wait, each with a listener of its own, until the last of its bells rings.
class ManyListeners {
 public:
  template <class BellOf>
  ManyListeners(int number, BellOf bell_of) {
    for (int i = 0; i < number; ++i) listeners_.push_back(bell_of(i).listen({AgentId{1 + i}, last(i)}, {}));
    wakes_.resize(listeners_.size());
    for (std::size_t i = 0; i < listeners_.size(); ++i) threads_.emplace_back([this, i] { wait(i); });
  }
  static BellKey last(std::size_t i) { return AgentId{100'000 + static_cast<std::int64_t>(i)}; }
  static BellKey last(int i) { return last(static_cast<std::size_t>(i)); }
  std::vector<BellKey> last_of_all() const {
    std::vector<BellKey> out;
    for (std::size_t i = 0; i < listeners_.size(); ++i) out.push_back(last(i));
    return out;
  }
  /// How often each was woken.
  std::vector<int> wakes() {
    for (auto& thread : threads_) thread.join();
    return wakes_;
  }

 private:
  void wait(std::size_t i) {
    while (true) {
      const auto heard = listeners_[i]->wait({}, kAges);
      ++wakes_[i];
      EXPECT_FALSE(heard.missed) << i;
      if (std::find(heard.bells.begin(), heard.bells.end(), last(i)) != heard.bells.end()) return;
    }
  }
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<int> wakes_;
  std::vector<std::thread> threads_;
};

TEST_F(PostgresBellTest, OfManyProcessesARingWakesThoseItConcernsOnly) {
  std::vector<std::unique_ptr<PostgresBell>> bells;
  ManyListeners many(stress(60, 20), [&](int) -> PostgresBell& {
    bells.push_back(must(PostgresBell::open(url())));
    return *bells.back();
  });
  for (int times = 0; times < 5; ++times) ring({AgentId{8}});
  ring(many.last_of_all());
  const auto wakes = many.wakes();
  for (std::size_t i = 0; i < wakes.size(); ++i) {
    if (i == 7) continue;
    EXPECT_EQ(wakes[i], 1) << i << ": its own last bell, and nothing else";
  }
}

TEST_F(PostgresBellTest, OfManyThreadsOnOneConnectionARingWakesThoseItConcernsOnly) {
  ManyListeners many(stress(200, 40), [&](int) -> PostgresBell& { return bell(); });
  EXPECT_EQ(number(outside(), cat("SELECT count(*) FROM ", kListening)), 1) << "one connection of the process listens";
  for (int times = 0; times < 5; ++times) ring({AgentId{8}});
  ring(many.last_of_all());
  const auto wakes = many.wakes();
  for (std::size_t i = 0; i < wakes.size(); ++i) {
    if (i == 7) continue;
    EXPECT_EQ(wakes[i], 1) << i << ": its own last bell, and nothing else";
  }
}

TEST_F(PostgresBellTest, WhoeverReadsTheConnectionMayGoAndTheOthersHearOn) {
  const auto first = bell().listen({AgentId{1}}, {});
  const auto second = bell().listen({AgentId{2}}, {});
  for (int round = 0; round < stress(50, 15); ++round) {
    std::thread leader([&] { EXPECT_EQ(first->wait({}, kAges).bells, std::vector<BellKey>{AgentId{1}}); });
    std::thread other([&] { EXPECT_EQ(second->wait({}, kAges).bells, std::vector<BellKey>{AgentId{2}}); });
    ring({AgentId{1}});
    leader.join();
    ring({AgentId{2}});
    other.join();
  }
}

TEST_F(PostgresBellTest, EverybodyIsToldOfALostConnection) {
  std::vector<std::unique_ptr<Listener>> listeners;
  for (int i = 1; i <= 8; ++i) listeners.push_back(bell().listen({AgentId{i}}, {}));
  std::vector<std::thread> waiting;
  waiting.reserve(listeners.size());
  for (auto& listener : listeners) waiting.emplace_back([&listener] { EXPECT_TRUE(listener->wait({}, kAges).missed); });
  cut_bell();
  for (auto& thread : waiting) thread.join();
  ring({AgentId{5}});
  EXPECT_EQ(listeners[4]->wait({}, kAges).bells, std::vector<BellKey>{AgentId{5}}) << "and it listens again";
}

TEST_F(PostgresBellTest, WithoutAServerOnlyWaits) {
  auto deaf = must(PostgresBell::open("postgres://town@/town?host=/nonexistent"));
  EXPECT_TRUE(deaf->listen({AgentId{7}}, {})->wait({}, Millis(50)).nothing());
  EXPECT_EQ(deaf->stamp(AgentId{7}), std::nullopt) << "nobody else could compare it";
}

TEST_F(PostgresBellTest, NeedsAUsableAddress) {
  EXPECT_EQ(error_of(PostgresBell::open("postgres://u:se%zz@h/db")).code, Code::usage);
}

}  // namespace
}  // namespace townpost
