#include <array>
#include <thread>

#include "postgres/fixture.h"
#include "support/lossy_wire.h"

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

TEST_F(PostgresConnection, WhoLooksFirstReadsBesideAWriterUntilItTakesItsTurn) {
  auto writer = connect();
  must(writer->begin(Access::write));
  must(add_rig(*writer, "one"));
  auto looker = connect(Millis(200));
  must(looker->begin(Access::look_first));
  EXPECT_EQ(number(*looker, "SELECT count(*) FROM rig"), 0);
  EXPECT_EQ(error_of(looker->take_turn({})).code, Code::unavailable);
  looker->rollback();
  must(looker->begin(Access::look_first));
  EXPECT_EQ(number(*looker, "SELECT count(*) FROM rig"), 0);
  must(writer->commit());
  std::int64_t seen = -1;
  must(looker->take_turn({{"SELECT count(*) FROM rig", {}, [&](const Row& row) {
                             seen = row.integer(0);
                             return Next::stop;
                           }}}));
  EXPECT_EQ(seen, 1) << "in its turn it sees what was committed before";
  must(add_rig(*looker, "two"));
  must(looker->commit());
  EXPECT_EQ(rigs(), 2);
}

TEST_F(PostgresConnection, WhoOnlyLookedLeavesNoMarkAndTakesNoNumber) {
  auto looker = connect();
  must(looker->begin(Access::look_first));
  EXPECT_EQ(word(*looker, "SELECT coalesce(CAST(pg_current_xact_id_if_assigned() AS TEXT), 'none')"), "none");
  must(looker->commit());
}

TEST_F(PostgresConnection, TheEndOfAWriteIsOneRoundTripHoweverMuchItChanges) {
  LossyWire wire(url());
  SqlStore store(must(PostgresDatabase::open(wire.url(), std::nullopt)), nullptr);
  int before_the_end = 0;
  must(store.look_then_write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.take_turn());
    before_the_end = wire.round_trips();
    for (int i = 0; i < 3; ++i) TRY_VOID(ledger.add_event({.at = {5}, .kind = EventKind::other}));
    ledger.ring(BellKey::registry());
    return {};
  }));
  EXPECT_EQ(wire.round_trips() - before_the_end, 1) << "events, their count, the bell, the mark and the commit";
  EXPECT_EQ(number(outside(), "SELECT count(*) FROM event"), 3);
}

TEST_F(PostgresConnection, WhatALookForeseesIsAskedWithItsFirstQuestion) {
  LossyWire wire(url());
  const auto database = must(PostgresDatabase::open(wire.url(), std::nullopt));
  const auto asked = [&](Sql sql, std::int64_t what) {
    std::int64_t out = -1;
    must(database->run(sql, {what}, [&](const Row& row) {
      out = row.integer(0);
      return Next::stop;
    }));
    return out;
  };
  constexpr Sql kDouble = "SELECT 2 * CAST($1 AS BIGINT)";
  constexpr Sql kSquare = "SELECT CAST($1 AS BIGINT) * CAST($1 AS BIGINT)";
  for (int i = 0; i < 3; ++i) {  // the first time they are not prepared yet
    const int before = wire.round_trips();
    must(database->begin(Access::look_first));
    for (const std::int64_t n : {3, 4}) {
      database->foresee(kDouble, std::array{Param(n)});
      database->foresee(kSquare, std::array{Param(n)});
    }
    EXPECT_EQ(asked(kSquare, 4), 16);
    EXPECT_EQ(asked(kDouble, 3), 6);
    EXPECT_EQ(asked(kSquare, 3), 9);
    EXPECT_EQ(wire.round_trips() - before, 1) << "with the beginning";
    EXPECT_EQ(asked(kSquare, 3), 9) << "an answer is old the second time";
    EXPECT_EQ(wire.round_trips() - before, 2);
    must(database->take_turn({}));
    EXPECT_EQ(asked(kDouble, 4), 8) << "what was answered before the turn is forgotten in it";
    EXPECT_EQ(wire.round_trips() - before, 4);
    must(database->commit());
  }
}

TEST_F(PostgresConnection, AClaimIsFourRoundTripsAndItsEndToo) {
  LossyWire wire(url());
  SqlStore store(must(PostgresDatabase::open(wire.url(), std::nullopt)), nullptr);
  const std::string worker = "nux";
  AgentId self;
  QueueId work;
  must(store.write([&](Ledger& ledger) -> Result<> {
    TRY(agent, ledger.add_agent({.address = must(Address::parse(worker))}));
    self = agent;
    TRY(queue, ledger.add_queue({.name = "work", .claimers = "*"}));
    work = queue;
    for (int i = 1; i <= 2; ++i) {
      Message job;
      job.id = {i};
      job.sender = agent;
      TRY_VOID(ledger.add_message(job));
      TRY_VOID(ledger.add_item({.message = {i}, .queue = queue}));
    }
    return {};
  }));
  for (int i = 1; i <= 2; ++i) {
    const int before = wire.round_trips();
    must(store.look_then_write([&](Ledger& ledger) -> Result<> {
      ledger.foresee_claim(worker, "work", {5});
      TRY_VOID(ledger.watch());
      TRY_VOID(ledger.find_agent(worker));
      TRY(offer, ledger.find_offer("work", {5}));
      EXPECT_TRUE(offer && offer->stir.available);
      TRY_VOID(ledger.take_turn());
      TRY(claimed, ledger.claim_next(work, self, {6}, {60'000}));
      EXPECT_TRUE(claimed && claimed->message);
      return ledger.add_event({.at = {6}, .kind = EventKind::claimed});
    }));
    EXPECT_EQ(wire.round_trips() - before, 4) << "the look, the turn, the claim, the end";
    const int claimed = wire.round_trips();
    must(store.look_then_write([&](Ledger& ledger) -> Result<> {
      ledger.foresee_end(worker, {i});
      TRY_VOID(ledger.watch());
      TRY_VOID(ledger.find_agent(worker));
      TRY(queue, ledger.queue_of({i}));
      EXPECT_TRUE(queue.has_value());
      TRY_VOID(ledger.take_turn());
      TRY(done, ledger.complete_item({i}, self, {7}));
      EXPECT_TRUE(done.has_value());
      return ledger.add_event({.at = {7}, .kind = EventKind::completed});
    }));
    EXPECT_EQ(wire.round_trips() - claimed, 4);
  }
}

TEST_F(PostgresConnection, LostBeforeALookIsMadeAgainAndInItTheLookMayBeRepeated) {
  auto database = connect();
  cut(*database);
  must(database->begin(Access::look_first));
  EXPECT_EQ(number(*database, "SELECT 7"), 7);
  cut(*database);
  EXPECT_EQ(error_of(database->run("SELECT 8")).code, Code::unavailable);
  EXPECT_TRUE(database->may_repeat());
  database->rollback();
  must(database->begin(Access::look_first));
  must(database->take_turn({}));
  must(add_rig(*database, "one"));
  must(database->commit());
  EXPECT_EQ(rigs(), 1);
}

TEST_F(PostgresConnection, TheClockIsReadInTheTurnAndNotBeforeIt) {
  auto writer = connect();
  must(writer->begin(Access::write));
  auto looker = connect();
  must(looker->begin(Access::look_first));
  Instant taken;
  std::thread waiting([&] {
    must(looker->take_turn({}));
    taken = looker->time()->now();
    must(looker->commit());
  });
  while (number(outside(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == 0)
    std::this_thread::yield();
  const Instant before{number(outside(), "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)")};
  must(writer->commit());
  waiting.join();
  EXPECT_GE(taken, before);
}

TEST_F(PostgresConnection, TellsOnceForATransactionHoweverManyNotesItHas) {
  PostgresLink listener(must(Libpq::load()), must(PostgresAddress::parse(must(Libpq::load()), url())));
  ASSERT_TRUE(listener.connect(std::nullopt).has_value());
  ASSERT_TRUE(listener.listen({.all = true, .names = {}}).has_value());
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

TEST_F(PostgresConnection, TellsWhoeverListensToSomeBellsOfTheseOnly) {
  PostgresLink listener(must(Libpq::load()), must(PostgresAddress::parse(must(Libpq::load()), url())));
  ASSERT_TRUE(listener.connect(std::nullopt).has_value());
  ASSERT_TRUE(listener.listen({.all = false, .names = {"7", "registry"}}).has_value());
  auto database = connect();
  const auto commit_of = [&](std::string_view bells) {
    must(database->begin(Access::write));
    database->notify(bells);
    must(database->commit());
  };
  const auto heard = [&] {
    EXPECT_TRUE(listener.script("SELECT 1").has_value());  // what was committed before comes first
    return listener.notifications();
  };
  for (const auto* others : {"8", "77 q7 e7 queues", "9223372036854775807"}) commit_of(others);
  EXPECT_EQ(heard(), std::vector<std::string>());
  commit_of("8 7 registry");
  EXPECT_EQ(heard(), (std::vector<std::string>{"7", "registry"}));
  ASSERT_TRUE(listener.listen({.all = false, .names = {"8"}}).has_value());
  commit_of("7 8");
  EXPECT_EQ(heard(), std::vector<std::string>{"8"}) << "and of nothing any longer that it once listened to";
}

TEST_F(PostgresConnection, SplitsWhatIsTooLongForOneNoteBetweenKeys) {
  PostgresLink listener(must(Libpq::load()), must(PostgresAddress::parse(must(Libpq::load()), url())));
  ASSERT_TRUE(listener.connect(std::nullopt).has_value());
  ASSERT_TRUE(listener.listen({.all = true, .names = {}}).has_value());
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
  const auto& clock = *database->time();
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
