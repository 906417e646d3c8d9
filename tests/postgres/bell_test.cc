#include <chrono>
#include <thread>

#include "postgres/fixture.h"
#include "store/postgres_bell.h"

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
    must(outside().run(cat("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query = 'LISTEN ' || ",
                           PostgresLink::kChannel, " AND datname = current_database()")));
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
