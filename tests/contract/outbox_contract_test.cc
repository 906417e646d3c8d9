// What must follow commits: each duty goes to one who carries it out, and to the next one if that one is gone.
#include <set>
#include <thread>

#include "contract/store_contract.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using Strings = std::vector<std::string>;

class OutboxContract : public StoreContract {
 protected:
  void add(const std::string& detail, Instant due_at, DutyOwner owner = DutyOwner::push) {
    write([&](Ledger& ledger) {
      must(ledger.add_duty({.due_at = due_at, .kind = DutyKind::other, .detail = detail, .owner = owner}));
    });
  }
  std::vector<Duty> lease(int most = 10, DutyOwner owner = DutyOwner::push) {
    std::vector<Duty> out;
    write([&](Ledger& ledger) {
      out = must(ledger.lease_duties(owner, clock().now(), clock().now() + minutes(1), most));
    });
    return out;
  }
  Strings details(const std::vector<Duty>& duties) {
    Strings out;
    for (const auto& duty : duties) out.push_back(duty.detail);
    return out;
  }
  bool finish(const Duty& duty) {
    return change([&](Ledger& ledger) { return ledger.finish_duty(duty); });
  }
  bool fail_until(const Duty& duty, Instant again) {
    return change([&](Ledger& ledger) { return ledger.fail_duty(duty, again); });
  }
  bool put_off(const Duty& duty, Instant again) {
    return change([&](Ledger& ledger) { return ledger.put_off_duty(duty, again); });
  }
  std::vector<Duty> all(DutyOwner owner = DutyOwner::push) {
    return read([&](Ledger& ledger) { return must(ledger.duties(owner, 100)); });
  }
  bool ready(DutyOwner owner = DutyOwner::push) {
    return read([&](Ledger& ledger) { return must(ledger.has_ready_duties(owner, clock().now())); });
  }

 private:
  template <class How>
  bool change(const How& how) {
    bool done = false;
    write([&](Ledger& ledger) { done = must(how(ledger)); });
    return done;
  }
};
INSTANTIATE_TEST_SUITE_P(, OutboxContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(OutboxContract, DutiesAreReadyInTheOrderOfTheirInstants) {
  const Instant now = clock().now();
  add("third", now + Millis(30));
  add("first", now + Millis(10));
  add("second", now + Millis(20));
  EXPECT_FALSE(ready());
  clock().advance(Millis(10));
  EXPECT_TRUE(ready()) << "at its very instant";
  EXPECT_EQ(details(lease()), Strings{"first"});
  clock().advance(Millis(90));
  EXPECT_EQ(details(lease(1)), Strings{"second"}) << "a bounded share";
  EXPECT_EQ(details(lease()), Strings{"third"});
}

TEST_P(OutboxContract, ADutyIsReadAsItWasWritten) {
  const Duty duty{.due_at = clock().now(),
                  .kind = DutyKind::remind_of_reply,
                  .message = MessageId{77},
                  .detail = "it's \"so\"",
                  .owner = DutyOwner::patrol};
  write([&](Ledger& ledger) { must(ledger.add_duty(duty)); });
  auto expected = duty;
  expected.id = 1;
  expected.ready_at = duty.due_at;
  EXPECT_EQ(all(DutyOwner::patrol), std::vector<Duty>{expected});
  expected.attempts = 1;
  expected.lease_until = clock().now() + minutes(1);
  expected.ready_at = clock().now() + minutes(1);
  EXPECT_EQ(lease(1, DutyOwner::patrol), std::vector<Duty>{expected});
}

TEST_P(OutboxContract, EachOwnerHasItsOwn) {
  add("a push", clock().now(), DutyOwner::push);
  add("a chore", clock().now(), DutyOwner::town);
  EXPECT_FALSE(ready(DutyOwner::bridge));
  EXPECT_EQ(details(lease(10, DutyOwner::town)), Strings{"a chore"});
  EXPECT_EQ(details(lease(10, DutyOwner::push)), Strings{"a push"});
}

TEST_P(OutboxContract, WhatSomebodyHasInHandIsNobodyElses) {
  add("one", clock().now());
  const auto mine = lease();
  ASSERT_EQ(mine.size(), 1u);
  EXPECT_FALSE(ready());
  EXPECT_TRUE(lease().empty());
  EXPECT_TRUE(finish(mine[0]));
  EXPECT_TRUE(all().empty());
  EXPECT_FALSE(finish(mine[0])) << "once";
}

TEST_P(OutboxContract, ALeaseThatRanOutMakesTheDutyAvailableAgain) {
  add("one", clock().now());
  const auto lost = lease();
  clock().advance(minutes(1));
  EXPECT_TRUE(ready());
  const auto again = lease();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempts, 2);
  EXPECT_FALSE(finish(lost[0])) << "whoever was too late has no say";
  EXPECT_FALSE(fail_until(lost[0], clock().now()));
  EXPECT_FALSE(put_off(lost[0], clock().now()));
  EXPECT_TRUE(finish(again[0]));
}

TEST_P(OutboxContract, WhatFailedWaitsAndItsAttemptCounts) {
  add("one", clock().now());
  EXPECT_TRUE(fail_until(lease()[0], clock().now() + minutes(5)));
  EXPECT_FALSE(ready());
  clock().advance(minutes(5));
  EXPECT_EQ(lease()[0].attempts, 2);
}

TEST_P(OutboxContract, WhatWasPutOffWaitsAndItsAttemptDoesNotCount) {
  add("one", clock().now());
  EXPECT_TRUE(put_off(lease()[0], clock().now() + minutes(5)));
  EXPECT_EQ(all()[0].attempts, 0);
  EXPECT_EQ(all()[0].lease_until, std::nullopt);
  clock().advance(minutes(5));
  EXPECT_EQ(lease()[0].attempts, 1);
}

TEST_P(OutboxContract, AnIdIsNeverGivenTwice) {
  std::set<std::int64_t> ids;
  for (int i = 0; i < 3; ++i) {
    add("one", clock().now());
    const auto mine = lease();
    ASSERT_EQ(mine.size(), 1u);
    EXPECT_TRUE(ids.insert(mine[0].id).second) << "the newest was done, and its number is not used again";
    EXPECT_TRUE(finish(mine[0]));
  }
}

TEST_P(OutboxContract, OfManyWhoTakeAtOnceEachDutyGoesToOne) {
  constexpr int kDuties = 40;
  write([&](Ledger& ledger) {
    for (int i = 0; i < kDuties; ++i)
      must(ledger.add_duty({.due_at = clock().now(), .detail = std::to_string(i), .owner = DutyOwner::push}));
  });
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(second_store());
  std::vector<Strings> taken(stores.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stores.size(); ++i)
    threads.emplace_back([&, i] {
      for (int empty = 0; empty < 3;) {
        std::vector<Duty> mine;
        must(stores[i]->look_then_write([&](Ledger& ledger) -> Result<> {
          TRY_VOID(ledger.take_turn());
          TRY(leased, ledger.lease_duties(DutyOwner::push, clock().now(), clock().now() + minutes(1), 3));
          mine = std::move(leased);
          return {};
        }));
        empty = mine.empty() ? empty + 1 : 0;
        for (const auto& duty : mine) taken[i].push_back(duty.detail);
      }
    });
  for (auto& thread : threads) thread.join();
  std::multiset<std::string> together;
  for (const auto& some : taken) together.insert(some.begin(), some.end());
  EXPECT_EQ(together.size(), static_cast<std::size_t>(kDuties));
  EXPECT_EQ(std::set<std::string>(together.begin(), together.end()).size(), static_cast<std::size_t>(kDuties));
}

TEST_P(OutboxContract, WhoLookedFirstAddsDutiesToo) {
  must(store().look_then_write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.take_turn());
    TRY_VOID(ledger.add_duty({.due_at = clock().now(), .detail = "one", .owner = DutyOwner::push}));
    return ledger.add_duty({.due_at = clock().now(), .detail = "two", .owner = DutyOwner::push});
  }));
  add("three", clock().now());
  EXPECT_EQ(details(all()), (Strings{"one", "two", "three"}));
}

}  // namespace
}  // namespace townpost
