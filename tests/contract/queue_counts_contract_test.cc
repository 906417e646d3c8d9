// How many are where, in lists and under concurrency.
#include <rapidcheck.h>

#include <algorithm>
#include <thread>

#include "contract/queue_contract.h"

namespace townpost {
namespace {

INSTANTIATE_TEST_SUITE_P(, QueueContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(QueueContract, LeasesThatRanOutCountAsWhatTheyWillBe) {
  const QueueId queue = add("dispatch");
  for (int i = 0; i < 3; ++i) put(queue);
  claim(queue, slit());
  claim(queue, slit());
  EXPECT_EQ(counts(queue), (QueueCounts{1, 2, 0, 0}));
  clock().advance(kLease - Millis(1));
  EXPECT_EQ(counts(queue), (QueueCounts{1, 2, 0, 0}));
  clock().advance(Millis(1));
  EXPECT_EQ(counts(queue), (QueueCounts{3, 0, 0, 0})) << "nobody swept them";
  EXPECT_EQ(counts(queue, 1), (QueueCounts{1, 0, 0, 2})) << "dead if one attempt is the most";
  end_leases(queue, 1);
  EXPECT_EQ(counts(queue, 1), (QueueCounts{1, 0, 0, 2})) << "sweeping changes no count";
}

TEST_P(QueueContract, LeasedMeansNotRanOut) {
  const QueueId queue = add("dispatch");
  const auto leased = [&] {
    return read([&](Ledger& ledger) { return must(ledger.count_leased(queue, clock().now())); });
  };
  put(queue);
  put(queue);
  EXPECT_EQ(leased(), 0);
  claim(queue, slit());
  clock().advance(Millis(1));
  claim(queue, nux());
  EXPECT_EQ(leased(), 2);
  clock().advance(kLease - Millis(1));
  EXPECT_EQ(leased(), 1);
}

TEST_P(QueueContract, TheNextLeaseEndIsTheEarliest) {
  const QueueId queue = add("dispatch");
  const auto next = [&] { return read([&](Ledger& ledger) { return must(ledger.next_lease_end(queue)); }); };
  put(queue);
  put(queue);
  EXPECT_EQ(next(), std::nullopt);
  claim(queue, slit());
  const Instant first = clock().now() + kLease;
  clock().advance(Millis(5));
  claim(queue, slit());
  EXPECT_EQ(next(), first);
}

TEST_P(QueueContract, TheOldestAvailableIsByAgeNotByRank) {
  const QueueId queue = add("dispatch");
  const auto oldest = [&] { return read([&](Ledger& ledger) { return must(ledger.oldest_available(queue)); }); };
  EXPECT_EQ(oldest(), std::nullopt);
  const MessageId first = put(queue, 4);
  const MessageId second = put(queue, 0);
  EXPECT_EQ(oldest(), first);
  claim(queue, slit());
  EXPECT_EQ(oldest(), first);
  change([&](Ledger& ledger) { return ledger.release_item(second, slit()); });
  EXPECT_EQ(oldest(), first);
  claim(queue, slit());
  claim(queue, slit());
  EXPECT_EQ(oldest(), std::nullopt);
}

TEST_P(QueueContract, ItemsAreListedByStateInTheQueuesOrder) {
  const QueueId queue = add("dispatch");
  const MessageId low = put(queue, 3);
  const MessageId high = put(queue, 1);
  const MessageId higher = put(queue, 0);
  const auto in = [&](ItemState state, int most) {
    std::vector<MessageId> out;
    for (const auto& one : read([&](Ledger& ledger) { return must(ledger.items(queue, state, most)); }))
      out.push_back(one.message);
    return out;
  };
  using Ids = std::vector<MessageId>;
  EXPECT_EQ(in(ItemState::available, 10), (Ids{higher, high, low}));
  EXPECT_EQ(in(ItemState::available, 2), (Ids{higher, high}));
  claim(queue, slit());
  claim(queue, slit());
  change([&](Ledger& ledger) { return ledger.complete_item(higher, slit(), clock().now()); });
  change([&](Ledger& ledger) { return ledger.fail_item(high, slit(), 1, "x", clock().now()); });
  EXPECT_EQ(in(ItemState::available, 10), Ids{low});
  EXPECT_EQ(in(ItemState::leased, 10), Ids{});
  EXPECT_EQ(in(ItemState::completed, 10), Ids{higher});
  EXPECT_EQ(in(ItemState::dead, 10), Ids{high});
}

TEST_P(QueueContract, ConnectionsThatClaimAtTheSameTimeNeverGetTheSame) {
  const QueueId queue = add("dispatch");
  constexpr std::size_t kMessages = 60;
  for (std::size_t i = 0; i < kMessages; ++i) put(queue);
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(second_store());
  std::vector<std::vector<MessageId>> got(stores.size());
  std::vector<AgentId> workers;
  for (std::size_t i = 0; i < stores.size(); ++i) workers.push_back(fresh_agent());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < stores.size(); ++i)
    threads.emplace_back([&, i] {
      while (const auto claimed = claim_at(*stores[i], queue, workers[i])) got[i].push_back(claimed->message);
    });
  for (auto& thread : threads) thread.join();
  std::vector<MessageId> all;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(std::is_sorted(got[i].begin(), got[i].end())) << "oldest first, for each";
    for (const auto id : got[i]) {
      EXPECT_EQ(item(id).holder, workers[i]);
      EXPECT_EQ(item(id).attempts, 1);
      all.push_back(id);
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << "one message, two claimants";
  EXPECT_EQ(all.size(), kMessages);
  EXPECT_EQ(counts(queue), (QueueCounts{0, kMessages, 0, 0}));
}

TEST_P(QueueContract, CountingInOnesTurnKeepsTheNumberOfLeases) {
  const QueueId queue = add("dispatch");
  for (int i = 0; i < 40; ++i) put(queue);
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(second_store());
  std::vector<std::thread> threads;
  for (auto& own : stores)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        must(own->look_then_write([&](Ledger& ledger) -> Result<> {
          TRY_VOID(ledger.take_turn());
          TRY(leased, ledger.count_leased(queue, clock().now()));
          if (leased >= 3) return {};
          TRY_VOID(ledger.claim_next(queue, slit(), clock().now(), clock().now() + kLease));
          return {};
        }));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counts(queue).processing, 3);
}

TEST_P(QueueContract, EventsOfWritesThatLookedFirstAreNumberedInCommitOrder) {
  const MessageId about = post(nux(), {}).id;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < 4; ++i) stores.push_back(second_store());
  constexpr int kEach = 15;
  std::vector<std::thread> threads;
  for (auto& own : stores)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i)
        must(own->look_then_write([&](Ledger& ledger) -> Result<> {
          TRY_VOID(ledger.take_turn());
          TRY_VOID(ledger.add_event({.at = clock().now(), .kind = EventKind::claimed, .message = about}));
          return ledger.add_event({.at = clock().now(), .kind = EventKind::completed, .message = about});
        }));
    });
  // A reader that holds a cursor misses nothing: what it sees only grows at the end.
  std::vector<std::int64_t> seen;
  const auto look = [&] {
    std::vector<std::int64_t> now;
    for (const auto& event : read([&](Ledger& ledger) { return must(ledger.events_of(about)); }))
      now.push_back(event.seq);
    ASSERT_GE(now.size(), seen.size());
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), now.begin())) << "an event came in before what was there";
    EXPECT_EQ(now.size() % 2, 0u) << "half a transaction";
    seen = now;
  };
  while (seen.size() < stores.size() * kEach) look();
  for (auto& thread : threads) thread.join();
  look();
  ASSERT_EQ(seen.size(), stores.size() * kEach * 2);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], seen[i - 1] + 1);
}

TEST_P(QueueContract, AWriteThatLookedFirstAndFailsLeavesNothing) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  const auto failed = store().look_then_write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.take_turn());
    TRY_VOID(ledger.claim_next(queue, slit(), clock().now(), clock().now() + kLease));
    TRY_VOID(ledger.add_event({.at = clock().now(), .kind = EventKind::claimed, .message = id}));
    return fail(Code::refused, "changed my mind");
  });
  EXPECT_EQ(error_of(failed).message, "changed my mind");
  EXPECT_EQ(item(id).state, ItemState::available);
  EXPECT_TRUE(read([&](Ledger& ledger) { return must(ledger.events_of(id)); }).empty());
}

TEST_P(QueueContract, WhatSomebodyWasShownIsNotedAndNothingElseOfIt) {
  must(store().look_then_write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.take_turn());
    TRY(agent, ledger.agent(slit()));
    agent->shown_hops = 7;
    agent->shown_at = clock().now();
    agent->description = "not to be written";
    return ledger.update_shown(*agent);
  }));
  const auto agent = read([&](Ledger& ledger) { return must(ledger.agent(slit())); });
  EXPECT_EQ(agent->shown_hops, 7);
  EXPECT_EQ(agent->shown_at, clock().now());
  EXPECT_EQ(agent->description, "");
}

TEST_P(QueueContract, CountsAreExactAfterAnyLifeOfAQueue) {
  const bool holds = rc::check("counts match a simple model", [&] {
    static int number = 0;
    const QueueId queue = add("life-" + std::to_string(++number));
    constexpr int kMost = 2;
    std::vector<QueueItem> model;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 70));
    for (const int step : steps) {
      const AgentId who = step % 2 == 0 ? slit() : nux();
      const MessageId id = model.empty() ? MessageId{1} : model[static_cast<std::size_t>(step) % model.size()].message;
      switch (step % 7) {
        case 0:
        case 1:
          model.push_back({.message = put(queue), .queue = queue});
          break;
        case 2:
          end_leases(queue, kMost);
          claim(queue, who);
          break;
        case 3:
          change([&](Ledger& ledger) { return ledger.complete_item(id, who, clock().now()); });
          break;
        case 4:
          change([&](Ledger& ledger) { return ledger.fail_item(id, who, kMost, "no", clock().now()); });
          break;
        case 5:
          change([&](Ledger& ledger) { return ledger.release_item(id, who); });
          break;
        default:
          clock().advance(kLease / 2);
      }
      QueueCounts wanted;
      for (const auto& one : model) {
        const auto state = standing(item(one.message), kMost, clock().now());
        ++(state == ItemState::available ? wanted.available
           : state == ItemState::leased  ? wanted.processing
           : state == ItemState::dead    ? wanted.failed
                                         : wanted.completed);
      }
      RC_ASSERT(counts(queue, kMost) == wanted);
      RC_ASSERT(wanted.available + wanted.processing + wanted.completed + wanted.failed ==
                static_cast<std::int64_t>(model.size()));
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace townpost
