#include <algorithm>
#include <chrono>
#include <thread>

#include "postgres/fixture.h"
#include "store/postgres_bell.h"
#include "support/stress.h"

namespace townpost {
namespace {

constexpr Millis kAges = std::chrono::minutes(5);  // a test that waits so long has failed

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
  void cut_bell() {
    must(outside().run(
        Sql::kept(cat("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query = 'LISTEN ' || ",
                      PostgresLink::kChannel, " AND datname = current_database()"))));
  }

 private:
  std::unique_ptr<PostgresBell> bell_ = must(PostgresBell::open(url()));
};

TEST_F(PostgresBellTest, IsRungByTheCommitOfAnotherConnection) {
  const BellKey mailbox = AgentId{7};
  const BellKey queue = QueueId{7};
  const BellKey other = AgentId{77};
  const auto mail_before = bell().stamp(mailbox);
  const auto queue_before = bell().stamp(queue);
  const auto other_before = bell().stamp(other);
  ring({mailbox, queue});
  bell().wait(mailbox, mail_before, kAges);
  EXPECT_NE(bell().stamp(mailbox), mail_before);
  EXPECT_NE(bell().stamp(queue), queue_before);
  EXPECT_EQ(bell().stamp(other), other_before);
}

TEST_F(PostgresBellTest, WakesWhoSleeps) {
  const BellKey mailbox = AgentId{7};
  const auto before = bell().stamp(mailbox);
  std::thread later([&] { ring({mailbox}); });
  bell().wait(mailbox, before, kAges);
  later.join();
  EXPECT_NE(bell().stamp(mailbox), before);
}

TEST_F(PostgresBellTest, HearsWhatWasRungBetweenTheLookAndTheWait) {
  const BellKey mailbox = AgentId{7};
  const auto before = bell().stamp(mailbox);
  ring({mailbox});
  bell().wait(mailbox, before, kAges);
  EXPECT_NE(bell().stamp(mailbox), before);
}

TEST_F(PostgresBellTest, SleepsOnWhenAnotherRings) {
  const BellKey mailbox = AgentId{7};
  const auto before = bell().stamp(mailbox);
  ring({AgentId{8}});
  bell().wait(mailbox, before, Millis(50));
  EXPECT_EQ(bell().stamp(mailbox), before);
}

TEST_F(PostgresBellTest, SleepsOnWhenATownInAnotherSchemaRings) {
  const BellKey mailbox = AgentId{7};
  const BellKey last = AgentId{8};
  const auto before = bell().stamp(mailbox);
  const auto last_before = bell().stamp(last);
  const auto elsewhere = SharedPostgres::make_schema();
  must(migrate(*must(PostgresDatabase::open(elsewhere, std::nullopt))));
  SqlStore other(must(PostgresDatabase::open(elsewhere, std::nullopt)), nullptr);
  must(other.write([&](Ledger& ledger) -> Result<> {
    ledger.ring(mailbox);
    return {};
  }));
  ring({last});
  bell().wait(last, last_before, kAges);  // what was committed before has been heard with it
  EXPECT_EQ(bell().stamp(mailbox), before);
  SharedPostgres::drop_schema(elsewhere);
}

TEST_F(PostgresBellTest, ThatLostItsConnectionMakesTheCallerLookAgain) {
  const BellKey mailbox = AgentId{7};
  const auto before = bell().stamp(mailbox);
  cut_bell();
  bell().wait(mailbox, before, kAges);
  const auto after = bell().stamp(mailbox);
  EXPECT_NE(after, before) << "what rang while nobody listened was not heard";
  ring({mailbox});
  bell().wait(mailbox, after, kAges);
  EXPECT_NE(bell().stamp(mailbox), after) << "and it listens again";
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

TEST_F(PostgresBellTest, OfManyListenersARingWakesThoseItConcernsOnly) {
  const int number = stress(60, 20);
  const auto last = [](int i) { return BellKey(AgentId{1000 + i}); };
  std::vector<std::unique_ptr<PostgresBell>> bells;
  std::vector<std::unique_ptr<Listener>> listeners;
  for (int i = 0; i < number; ++i) {
    bells.push_back(must(PostgresBell::open(url())));
    listeners.push_back(bells.back()->listen({AgentId{1 + i}, last(i)}, {}));
  }
  std::vector<int> wakes(static_cast<std::size_t>(number));
  std::vector<std::thread> waiting;
  for (int i = 0; i < number; ++i)
    waiting.emplace_back([&, i] {
      while (true) {
        const auto heard = listeners[static_cast<std::size_t>(i)]->wait({}, kAges);
        ++wakes[static_cast<std::size_t>(i)];
        EXPECT_FALSE(heard.missed);
        if (std::find(heard.bells.begin(), heard.bells.end(), last(i)) != heard.bells.end()) return;
      }
    });
  for (int times = 0; times < 5; ++times) ring({AgentId{8}});
  std::vector<BellKey> everybody;
  for (int i = 0; i < number; ++i) everybody.push_back(last(i));
  ring(everybody);
  for (auto& one : waiting) one.join();
  for (int i = 0; i < number; ++i) EXPECT_LE(wakes[static_cast<std::size_t>(i)], i == 7 ? 6 : 1) << i;
  EXPECT_GE(wakes[7], 1);
}

TEST_F(PostgresBellTest, WithoutAServerOnlyWaits) {
  auto deaf = must(PostgresBell::open("postgres://town@/town?host=/nonexistent"));
  const auto before = deaf->stamp(AgentId{7});
  deaf->wait(AgentId{7}, before, Millis(50));
  EXPECT_EQ(deaf->stamp(AgentId{7}), before);
  EXPECT_FALSE(deaf->stamps_last());
}

TEST_F(PostgresBellTest, NeedsAUsableAddress) {
  EXPECT_EQ(error_of(PostgresBell::open("postgres://u:se%zz@h/db")).code, Code::usage);
}

}  // namespace
}  // namespace townpost
