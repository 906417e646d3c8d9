#include <thread>

#include "postgres/fixture.h"

namespace townpost {
namespace {

using PostgresConnection = PostgresTest;

TEST_F(PostgresConnection, LostBetweenTransactionsIsMadeAgain) {
  auto database = connect();
  must(database->begin(Access::write));
  must(add_rig(*database, "one"));
  must(database->commit());
  cut(*database);
  must(database->begin(Access::write));
  must(add_rig(*database, "two"));
  must(database->commit());
  EXPECT_EQ(rigs(), 2);
}

TEST_F(PostgresConnection, LostOutsideATransactionIsMadeAgain) {
  auto database = connect();
  cut(*database);
  EXPECT_EQ(error_of(database->run("SELECT 1")).code, Code::unavailable) << "the statement itself is not repeated";
  EXPECT_EQ(number(*database, "SELECT 1"), 1);
}

TEST_F(PostgresConnection, LostInTheMiddleLeavesNothingBehindAndSaysThatItMayBeRepeated) {
  auto database = connect();
  must(database->begin(Access::write));
  must(add_rig(*database, "one"));
  cut(*database);
  const Error error = error_of(add_rig(*database, "two"));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_TRUE(mentions(error.message, database->place())) << error.message;
  EXPECT_TRUE(mentions(error.hint, "nothing was changed")) << error.hint;
  EXPECT_TRUE(mentions(error.hint, "psql")) << error.hint;
  EXPECT_TRUE(database->may_repeat());
  database->rollback();
  EXPECT_EQ(rigs(), 0);

  must(database->begin(Access::write));
  must(add_rig(*database, "two"));
  must(database->commit());
  EXPECT_EQ(rigs(), 1);
}

TEST_F(PostgresConnection, OfAStoreThatIsLostInTheMiddleIsRepairedWithoutACallerNoticing) {
  auto database = connect();
  Database& connection = *database;
  SqlStore store(std::move(database), nullptr);
  int runs = 0;
  must(store.write([&](Ledger& ledger) -> Result<> {
    if (++runs == 1) cut(connection);
    return ledger.add_rig({.name = "one", .prefix = "on"});
  }));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(rigs(), 1);
}

TEST_F(PostgresConnection, KeepsPreparedStatementsApartAfterAReconnect) {
  auto database = connect();
  const auto twice = [&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(number(*database, "SELECT 7 + 1"), 8);
      EXPECT_EQ(number(*database, "SELECT 7 + 2"), 9);
    }
  };
  twice();
  cut(*database);
  must(database->begin(Access::read));
  twice();
  must(database->commit());
}

TEST_F(PostgresConnection, AWriterWaitsForTheOneBeforeIt) {
  auto first = connect();
  must(first->begin(Access::write));
  must(add_rig(*first, "one"));
  std::int64_t seen = -1;
  std::thread second([&] {
    auto database = connect();
    must(database->begin(Access::write));
    seen = number(*database, "SELECT count(*) FROM rig");
    must(database->commit());
  });
  while (number(outside(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == 0)
    std::this_thread::yield();
  must(first->commit());
  second.join();
  EXPECT_EQ(seen, 1) << "it sees what was committed before its turn";
}

TEST_F(PostgresConnection, WhoSharesMayWriteBesideAWriterUntilItTakesItsTurn) {
  auto writer = connect();
  must(writer->begin(Access::write));
  auto sharer = connect(Millis(200));
  must(sharer->begin(Access::share));
  must(add_rig(*sharer, "one"));
  EXPECT_EQ(error_of(sharer->take_turn()).code, Code::unavailable);
  sharer->rollback();
  must(writer->commit());
  must(sharer->begin(Access::share));
  must(add_rig(*sharer, "one"));
  must(sharer->take_turn());
  must(sharer->commit());
  EXPECT_EQ(rigs(), 1);
}

TEST_F(PostgresConnection, TellsOnceForATransactionHoweverManyNotesItHas) {
  PostgresLink listener(must(Libpq::load()), must(PostgresAddress::parse(must(Libpq::load()), url())));
  ASSERT_TRUE(listener.connect(std::nullopt).has_value());
  ASSERT_TRUE(listener.listen().has_value());
  auto database = connect();
  must(database->begin(Access::write));
  database->notify("1 2");
  database->notify("q7");
  database->notify("it's 'quoted'");
  must(database->commit());
  must(database->begin(Access::write));
  database->notify("never");
  database->rollback();
  must(database->begin(Access::write));
  must(database->commit());
  ASSERT_TRUE(listener.script("SELECT 1").has_value());
  EXPECT_EQ(listener.notifications(), (std::vector<std::string>{"1 2 q7 it's 'quoted'"}));
}

TEST_F(PostgresConnection, SplitsWhatIsTooLongForOneNoteBetweenKeys) {
  PostgresLink listener(must(Libpq::load()), must(PostgresAddress::parse(must(Libpq::load()), url())));
  ASSERT_TRUE(listener.connect(std::nullopt).has_value());
  ASSERT_TRUE(listener.listen().has_value());
  std::string all;
  for (int i = 0; i < 4000; ++i) all += cat(i == 0 ? "" : " ", 100'000 + i);
  auto database = connect();
  must(database->begin(Access::write));
  database->notify(all);
  must(database->commit());
  ASSERT_TRUE(listener.script("SELECT 1").has_value());
  const auto notes = listener.notifications();
  EXPECT_EQ(notes.size(), 4u);
  EXPECT_EQ(join(notes, " "), all);
}

TEST_F(PostgresConnection, BringsTheClockOfTheServerAlong) {
  // A clock_timestamp() of the town's own schema, a day ahead, stands before the server's.
  must(
      outside().run_script("CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "
                           "$$ SELECT pg_catalog.clock_timestamp() + interval '1 day' $$"));
  auto database = must(PostgresDatabase::open(url() + ",pg_catalog", std::nullopt));
  const DatabaseClock clock(*database);
  const auto ahead = clock.now() - SystemClock().now();
  EXPECT_GT(ahead, std::chrono::hours(23));
  EXPECT_LT(ahead, std::chrono::hours(25));

  const Instant before = clock.now();
  must(outside().run_script(cat("DROP FUNCTION ", word(outside(), "SELECT current_schema()"), ".clock_timestamp()")));
  must(database->begin(Access::write));
  must(database->commit());
  EXPECT_EQ(clock.now(), before) << "a clock that was put back never runs backwards";
}

}  // namespace
}  // namespace townpost
