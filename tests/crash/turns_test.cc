// How long callers wait for their turn at a store that many use, and how many may.
#include <atomic>

#include "crash/group_commit_fixture.h"
#include "store/sql_store.h"
#include "support/await.h"

namespace townpost {
namespace {

using std::chrono::milliseconds;

const Transaction kNothing = [](Ledger&) -> Result<> { return {}; };

/// Somebody who waits until it is called away, and of whom others know that it waits.
class Caller {
 public:
  Patience patience() {
    return {.longest = std::nullopt, .still_wanted = [this]() -> Result<> {
              ++asked_;
              if (!called_) return {};
              return fail(Code::timeout, "nobody waits for this any more");
            }};
  }
  void await_waiting() const {
    await("it waits", [this] { return asked_ != 0; });
  }
  void call_away() { called_ = true; }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> called_ = false;
};

class Turns : public ManyThreads {
 protected:
  /// A thread that is inside a transaction until the gate is opened.
  std::thread busy(Store& store, Access access) {
    std::thread out([this, &store, access] {
      must(store.run(access,
                     [this](Ledger&) -> Result<> {
                       gate_.pass();
                       return {};
                     },
                     {}));
    });
    EXPECT_TRUE(gate_.await(1));
    return out;
  }
  Gate gate_;
};
INSTANTIATE_TEST_SUITE_P(, Turns, testing::ValuesIn(store_kinds()), [](const auto& kind) { return kind.param.name; });

TEST_P(Turns, WhoeverHasNoPatienceIsToldThatTheStoreIsInUse) {
  const auto pool = must(StorePool::open(connect(), {.connections = 1}, nullptr));
  auto first = busy(*pool, Access::read);
  const auto hasty = pool->run(Access::read, kNothing, {.longest = Millis(0), .still_wanted = {}});
  ASSERT_FALSE(hasty.has_value());
  EXPECT_EQ(hasty.error().code, Code::unavailable);
  gate_.open();
  first.join();
  must(pool->read(kNothing));
}

TEST_P(Turns, WhoeverIsCalledAwayLeavesAPool) {
  const auto pool = must(StorePool::open(connect(), {.connections = 1}, nullptr));
  auto first = busy(*pool, Access::read);
  Caller caller;
  caller.call_away();
  EXPECT_EQ(error_of(pool->run(Access::read, kNothing, caller.patience())).code, Code::timeout);
  gate_.open();
  first.join();
}

TEST_P(Turns, APoolInWhichManyWaitTellsTheNextToComeAgain) {
  const auto pool = must(StorePool::open(connect(), {.connections = 1, .waiting = 1}, nullptr));
  auto first = busy(*pool, Access::read);
  Caller second;
  std::thread waiting([&] { must(pool->run(Access::read, kNothing, second.patience())); });
  second.await_waiting();
  const Error full = error_of(pool->read(kNothing));
  EXPECT_EQ(full.code, Code::unavailable);
  EXPECT_EQ(full.message, "too busy: 1 calls wait for the store");
  gate_.open();
  first.join();
  waiting.join();
}

TEST_P(Turns, ConnectionsAreMadeWhenTheyAreNeededAndNobodyElseWaitsForThem) {
  std::atomic<int> made = 0;
  Gate server;
  const auto pool = must(StorePool::open(
      [&]() -> Result<std::unique_ptr<Database>> {
        if (++made > 1) server.pass();
        return site_->connect();
      },
      {.connections = 2}, nullptr));
  must(pool->read(kNothing));
  must(pool->read(kNothing));
  EXPECT_EQ(made, 1);
  auto first = busy(*pool, Access::read);
  std::thread second([&] { must(pool->read(kNothing)); });
  ASSERT_TRUE(server.await(1)) << "it waits for a connection of its own";
  gate_.open();
  first.join();
  must(pool->read(kNothing));
  server.open();
  second.join();
  EXPECT_EQ(made, 2);
}

TEST_P(Turns, AConnectionThatCannotBeMadeLeavesItsPlaceToOthers) {
  int made = 0;
  const auto pool = must(StorePool::open(
      [&]() -> Result<std::unique_ptr<Database>> {
        if (++made == 2) return fail(Code::unavailable, "nobody answers");
        return site_->connect();
      },
      {.connections = 2}, nullptr));
  auto first = busy(*pool, Access::read);
  EXPECT_EQ(error_of(pool->read(kNothing)).message, "nobody answers");
  must(pool->read(kNothing));
  gate_.open();
  first.join();
}

TEST_P(Turns, PatienceIsOfTheCallAndNotOfTheConnection) {
  SqlStore store(site_->connect(), nullptr);
  SqlStore another(site_->connect(), nullptr);
  auto writer = busy(another, Access::write);
  EXPECT_EQ(error_of(store.run(Access::write, kNothing, {.longest = Millis(30), .still_wanted = {}})).code,
            Code::unavailable);
  std::thread patient([&] { must(store.write([](Ledger& ledger) { return note(ledger, "patient"); })); });
  std::this_thread::sleep_for(milliseconds(100));  // longer than the one before it would have waited
  gate_.open();
  writer.join();
  patient.join();
  EXPECT_EQ(notes(), notes_of({"patient"}));
}

TEST_P(Turns, WhileAnotherProcessWritesEachOfAGroupLeavesWhenItsPatienceEnds) {
  const auto store = must(GroupCommitStore::open(connect(), {.readers = 1}, nullptr));
  SqlStore another(site_->connect(), nullptr);
  auto writer = busy(another, Access::write);
  Caller stays;
  std::thread patient([&] {
    must(store->run(
        Access::write, [](Ledger& ledger) { return note(ledger, "stays"); }, stays.patience()));
  });
  stays.await_waiting();
  EXPECT_EQ(error_of(store->run(Access::write, [](Ledger& ledger) { return note(ledger, "leaves"); },
                                {.longest = Millis(30), .still_wanted = {}}))
                .code,
            Code::unavailable);
  Caller leaves;
  leaves.call_away();
  EXPECT_EQ(error_of(store->run(
                         Access::write, [](Ledger& ledger) { return note(ledger, "leaves"); }, leaves.patience()))
                .code,
            Code::timeout);
  gate_.open();
  writer.join();
  patient.join();
  EXPECT_EQ(notes(), notes_of({"stays"}));
}

TEST_P(Turns, AGroupInWhichManyWaitTellsTheNextToComeAgain) {
  const auto store = must(GroupCommitStore::open(connect(), {.readers = 1, .waiting = 2}, nullptr));
  auto first = busy(*store, Access::write);
  Caller stays, leaves;
  std::thread one([&] {
    must(store->run(
        Access::write, [](Ledger& ledger) { return note(ledger, "stays"); }, stays.patience()));
  });
  std::thread two([&] {
    EXPECT_EQ(error_of(store->run(
                           Access::write, [](Ledger& ledger) { return note(ledger, "leaves"); }, leaves.patience()))
                  .code,
              Code::timeout);
  });
  stays.await_waiting();
  leaves.await_waiting();
  const Error full = error_of(store->write(kNothing));
  EXPECT_EQ(full.code, Code::unavailable);
  EXPECT_EQ(full.message, "too busy: 2 writes wait for their turn");
  leaves.call_away();
  two.join();
  EXPECT_EQ(error_of(store->run(Access::write, kNothing, {.longest = Millis(0), .still_wanted = {}})).code,
            Code::unavailable);
  gate_.open();
  first.join();
  one.join();
  EXPECT_EQ(notes(), notes_of({"stays"})) << "whoever has left has written nothing";
}

}  // namespace
}  // namespace townpost
