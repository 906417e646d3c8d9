#include "contract/queue_contract.h"

namespace townpost {
namespace {

TEST_P(QueueContract, AQueueIsReadAsItWasWritten) {
  Queue wanted{.id = {},
               .name = "dispatch",
               .rig = "beads",
               .claimers = "beads/polecats/*",
               .order = QueueOrder::priority,
               .max_concurrency = 3,
               .lease = std::chrono::seconds(90),
               .max_attempts = 7,
               .state = QueueState::paused,
               .created_at = clock().now()};
  wanted.id = add(wanted);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_queue("dispatch")); }), wanted);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.queue(wanted.id)); }), wanted);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_queue("dispatc")); }), std::nullopt);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.queue({4711})); }), std::nullopt);
}

TEST_P(QueueContract, QueuesAreListedByName) {
  add("zeta");
  add("alpha");
  std::vector<std::string> names;
  for (const auto& queue : read([](Ledger& ledger) { return must(ledger.queues()); })) names.push_back(queue.name);
  EXPECT_EQ(names, (std::vector<std::string>{"alpha", "zeta"}));
}

TEST_P(QueueContract, AQueueCanBeChangedButForItsName) {
  const QueueId id = add("dispatch");
  Queue queue = *read([&](Ledger& ledger) { return must(ledger.queue(id)); });
  queue.claimers = "@crew";
  queue.order = QueueOrder::priority;
  queue.max_concurrency = 2;
  queue.lease = std::chrono::hours(1);
  queue.max_attempts = 1;
  queue.state = QueueState::closed;
  write([&](Ledger& ledger) { must(ledger.update_queue(queue)); });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.queue(queue.id)); }), queue);
}

TEST_P(QueueContract, ANameIsUniqueAmongQueuesThatAreThere) {
  const QueueId first = add("dispatch");
  const auto again = store().write([&](Ledger& ledger) -> Result<> {
    TRY_VOID(ledger.add_queue({.id = {}, .name = "dispatch", .claimers = "*"}));
    return {};
  });
  EXPECT_FALSE(again.has_value());
  write([&](Ledger& ledger) { must(ledger.delete_queue(first, clock().now())); });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_queue("dispatch")); }), std::nullopt);
  EXPECT_TRUE(read([&](Ledger& ledger) { return must(ledger.queues()); }).empty());
  const QueueId second = add("dispatch");
  EXPECT_NE(first, second);
  write([&](Ledger& ledger) { must(ledger.delete_queue(second, clock().now())); });
  EXPECT_NE(add("dispatch"), second) << "the name is free as often as it is given up";
}

TEST_P(QueueContract, WhatWasInADeletedQueueStaysThere) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  write([&](Ledger& ledger) { must(ledger.delete_queue(queue, clock().now())); });
  EXPECT_EQ(item(id).queue, queue);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.queue(queue)); })->name, "dispatch");
  EXPECT_EQ(counts(add("dispatch")), QueueCounts{}) << "a new queue of that name begins empty";
}

TEST_P(QueueContract, AnItemIsReadAsItWasWritten) {
  const QueueId queue = add("dispatch");
  const Message message = post(nux(), {});
  const QueueItem wanted{.message = message.id,
                         .queue = queue,
                         .state = ItemState::dead,
                         .rank = 4,
                         .attempts = 5,
                         .holder = slit(),
                         .claimed_at = clock().now(),
                         .lease_until = clock().now() + Millis(7),
                         .ended_at = clock().now() + Millis(8),
                         .reason = "tests – red"};
  write([&](Ledger& ledger) { must(ledger.add_item(wanted)); });
  EXPECT_EQ(item(message.id), wanted);
  const MessageId mail = post(slit(), {nux()}).id;
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.item(mail)); }), std::nullopt);
}

TEST_P(QueueContract, AMessageHasOnePlaceInOneQueue) {
  const MessageId id = put(add("dispatch"));
  const QueueId other = add("other");
  EXPECT_FALSE(
      store().write([&](Ledger& ledger) { return ledger.add_item({.message = id, .queue = other}); }).has_value());
}

// G162
TEST_P(QueueContract, AnInstantOfClaimWithoutAClaimantCannotBeStored) {
  const QueueId queue = add("dispatch");
  const Message message = post(nux(), {});
  EXPECT_FALSE(store()
                   .write([&](Ledger& ledger) {
                     return ledger.add_item({.message = message.id, .queue = queue, .claimed_at = clock().now()});
                   })
                   .has_value());
  EXPECT_FALSE(store()
                   .write([&](Ledger& ledger) {
                     return ledger.add_item({.message = message.id, .queue = queue, .state = ItemState::leased});
                   })
                   .has_value());
  EXPECT_EQ(claim(queue, slit()), std::nullopt);
}

TEST_P(QueueContract, AClaimIsALeaseAndAnAttempt) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  const auto claimed = claim(queue, slit());
  ASSERT_TRUE(claimed.has_value());
  const QueueItem wanted{.message = id,
                         .queue = queue,
                         .state = ItemState::leased,
                         .attempts = 1,
                         .holder = slit(),
                         .claimed_at = clock().now(),
                         .lease_until = clock().now() + kLease};
  EXPECT_EQ(*claimed, wanted);
  EXPECT_EQ(item(id), wanted);
  EXPECT_EQ(claim(queue, nux()), std::nullopt) << "a second claimant";
}

TEST_P(QueueContract, AClaimBringsItsMessage) {
  const QueueId work = add("work");
  const MessageId id = put(work);
  write([&](Ledger& ledger) {
    const auto claimed = must(ledger.claim_next(work, nux(), clock().now(), clock().now() + kLease));
    ASSERT_TRUE(claimed.has_value());
    EXPECT_EQ(claimed->item, must(ledger.item(id)));
    EXPECT_EQ(claimed->message, must(ledger.message(id)));
  });
}

TEST_P(QueueContract, AnOfferIsAQueueThatIsThereWithWhatIsToDoInIt) {
  const auto offer = [&](std::string_view name) {
    return read([&](Ledger& ledger) { return must(ledger.find_offer(name, clock().now())); });
  };
  const auto expect = [&](bool available, bool ended) {
    const auto found = offer("work");
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->stir.available, available);
    EXPECT_EQ(found->stir.ended, ended);
    const auto stir = read([&](Ledger& ledger) { return must(ledger.stir(found->queue.id, clock().now())); });
    EXPECT_EQ(stir.available, available);
    EXPECT_EQ(stir.ended, ended);
  };
  EXPECT_FALSE(offer("work").has_value());
  const QueueId work = add("work");
  const QueueId other = add("other");
  put(other);
  EXPECT_EQ(offer("work")->queue, read([&](Ledger& ledger) { return must(ledger.queue(work)).value(); }));
  expect(false, false);
  put(work);
  expect(true, false);
  ASSERT_TRUE(claim(work, nux()).has_value());
  expect(false, false);
  clock().advance(kLease);
  expect(false, true);
  write([&](Ledger& ledger) { must(ledger.delete_queue(work, clock().now())); });
  EXPECT_FALSE(offer("work").has_value());
}

TEST_P(QueueContract, TheQueueOfAMessageIsFoundThoughItWasDeleted) {
  const QueueId work = add("work");
  const MessageId id = put(work);
  const auto queue_of = [&](MessageId message) {
    return read([&](Ledger& ledger) { return must(ledger.queue_of(message)); });
  };
  EXPECT_EQ(queue_of(id)->id, work);
  write([&](Ledger& ledger) { must(ledger.delete_queue(work, clock().now())); });
  EXPECT_EQ(queue_of(id)->id, work);
  EXPECT_FALSE(queue_of({id.key + 1}).has_value());
}

TEST_P(QueueContract, ClaimsFollowRankThenAge) {
  const QueueId queue = add("dispatch");
  const MessageId low = put(queue, 3);
  const MessageId first = put(queue, 1);
  const MessageId second = put(queue, 1);
  const MessageId urgent = put(queue, 0);
  put(add("other"), 0);
  std::vector<MessageId> got;
  while (const auto claimed = claim(queue, slit())) got.push_back(claimed->message);
  EXPECT_EQ(got, (std::vector<MessageId>{urgent, first, second, low}));
}

TEST_P(QueueContract, ALeaseThatRanOutIsNotTakenBeforeItIsEnded) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  claim(queue, slit());
  clock().advance(kLease);
  EXPECT_EQ(claim(queue, nux()), std::nullopt);
  ASSERT_EQ(end_leases(queue, 5).size(), 1u);
  const auto again = claim(queue, nux());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->message, id);
  EXPECT_EQ(again->attempts, 2);
  EXPECT_EQ(again->holder, nux());
}

TEST_P(QueueContract, EndedLeasesAreAvailableOrDead) {
  const QueueId queue = add("dispatch");
  const MessageId fresh = put(queue);
  claim(queue, slit());
  clock().advance(Millis(1));
  const MessageId running = put(queue);
  claim(queue, nux());
  clock().advance(kLease - Millis(1));  // exactly the end of the first
  const auto ended = end_leases(queue, 5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].message, fresh);
  EXPECT_EQ(ended[0].state, ItemState::available);
  EXPECT_EQ(ended[0].holder, slit()) << "it may still complete";
  EXPECT_EQ(ended[0].lease_until, Instant{});
  EXPECT_EQ(ended[0].reason, "the lease ran out");
  EXPECT_EQ(ended[0], item(fresh));
  EXPECT_EQ(item(running).state, ItemState::leased);
  EXPECT_TRUE(end_leases(queue, 5).empty()) << "ended twice";

  clock().advance(Millis(1));
  const auto dead = end_leases(queue, 1);
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].message, running);
  EXPECT_EQ(dead[0].state, ItemState::dead);
  EXPECT_EQ(dead[0].ended_at, clock().now()) << "when the lease ended";
}

TEST_P(QueueContract, OnlyThisQueuesLeasesAreEnded) {
  const QueueId queue = add("dispatch");
  const QueueId other = add("other");
  put(queue);
  put(other);
  claim(queue, slit());
  claim(other, slit());
  clock().advance(kLease);
  EXPECT_EQ(end_leases(queue, 5).size(), 1u);
  EXPECT_EQ(end_leases(other, 5).size(), 1u);
}

TEST_P(QueueContract, OnlyTheHolderCompletes) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.complete_item(id, slit(), clock().now()); })) << "unclaimed";
  claim(queue, slit());
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.complete_item(id, nux(), clock().now()); }));
  EXPECT_EQ(item(id).state, ItemState::leased);
  clock().advance(Millis(5));
  EXPECT_TRUE(change([&](Ledger& ledger) { return ledger.complete_item(id, slit(), clock().now()); }));
  EXPECT_EQ(item(id).state, ItemState::completed);
  EXPECT_EQ(item(id).ended_at, clock().now());
  EXPECT_EQ(item(id).holder, slit());
  EXPECT_EQ(item(id).lease_until, Instant{});
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.complete_item(id, slit(), clock().now()); })) << "twice";
}

TEST_P(QueueContract, TheLastHolderCompletesUntilSomebodyElseClaims) {
  const QueueId queue = add("dispatch");
  const MessageId late = put(queue);
  claim(queue, slit());
  clock().advance(kLease);
  end_leases(queue, 5);
  EXPECT_TRUE(change([&](Ledger& ledger) { return ledger.complete_item(late, slit(), clock().now()); }));

  const MessageId lost = put(queue);
  claim(queue, slit());
  clock().advance(kLease);
  end_leases(queue, 5);
  claim(queue, nux());
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.complete_item(lost, slit(), clock().now()); }));
  EXPECT_EQ(item(lost).holder, nux());
}

TEST_P(QueueContract, OnlyTheHolderReleasesAndTheAttemptIsGivenBack) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  claim(queue, slit());
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.release_item(id, nux()); }));
  EXPECT_TRUE(change([&](Ledger& ledger) { return ledger.release_item(id, slit()); }));
  const QueueItem wanted{.message = id, .queue = queue};
  EXPECT_EQ(item(id), wanted) << "as if nobody had claimed it";
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.release_item(id, slit()); })) << "attempts fall below zero";
  EXPECT_EQ(claim(queue, nux())->attempts, 1);
  EXPECT_TRUE(change([&](Ledger& ledger) { return ledger.complete_item(id, nux(), clock().now()); }));
  EXPECT_FALSE(change([&](Ledger& ledger) { return ledger.release_item(id, nux()); })) << "what is done stays done";
}

TEST_P(QueueContract, OnlyTheHolderFailsAndTheLastAttemptIsDeadly) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  const auto fail_as = [&](AgentId who) {
    return change([&](Ledger& ledger) { return ledger.fail_item(id, who, 2, "tests are red", clock().now()); });
  };
  claim(queue, slit());
  EXPECT_FALSE(fail_as(nux()));
  EXPECT_TRUE(fail_as(slit()));
  EXPECT_EQ(item(id).state, ItemState::available);
  EXPECT_EQ(item(id).attempts, 1);
  EXPECT_EQ(item(id).holder, std::nullopt);
  EXPECT_EQ(item(id).claimed_at, std::nullopt);
  EXPECT_EQ(item(id).ended_at, std::nullopt);
  EXPECT_EQ(item(id).reason, "tests are red");
  EXPECT_FALSE(fail_as(slit())) << "it is no longer its";
  claim(queue, nux());
  clock().advance(Millis(3));
  EXPECT_TRUE(fail_as(nux()));
  EXPECT_EQ(item(id).state, ItemState::dead);
  EXPECT_EQ(item(id).attempts, 2);
  EXPECT_EQ(item(id).ended_at, clock().now());
  EXPECT_EQ(claim(queue, slit()), std::nullopt);
}

TEST_P(QueueContract, OnlyTheHolderExtends) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  const auto extend_as = [&](AgentId who) {
    return change([&](Ledger& ledger) { return ledger.extend_lease(id, who, clock().now() + kLease * 3); });
  };
  EXPECT_FALSE(extend_as(slit()));
  claim(queue, slit());
  EXPECT_FALSE(extend_as(nux()));
  EXPECT_TRUE(extend_as(slit()));
  EXPECT_EQ(item(id).lease_until, clock().now() + kLease * 3);
  clock().advance(kLease * 3);
  end_leases(queue, 5);
  EXPECT_TRUE(extend_as(slit())) << "nobody else has claimed";
  EXPECT_EQ(item(id).state, ItemState::leased);
  EXPECT_EQ(item(id).attempts, 1);
  EXPECT_EQ(claim(queue, nux()), std::nullopt);
}

TEST_P(QueueContract, OnlyTheDeadAreRetried) {
  const QueueId queue = add("dispatch");
  const MessageId id = put(queue);
  const auto retry = [&] { return change([&](Ledger& ledger) { return ledger.retry_item(id); }); };
  EXPECT_FALSE(retry());
  claim(queue, slit());
  EXPECT_FALSE(retry());
  clock().advance(kLease);
  end_leases(queue, 1);
  EXPECT_TRUE(retry());
  EXPECT_EQ(item(id).state, ItemState::available);
  EXPECT_EQ(item(id).attempts, 0);
  EXPECT_EQ(item(id).holder, std::nullopt);
  EXPECT_EQ(item(id).ended_at, std::nullopt);
  EXPECT_EQ(claim(queue, slit())->attempts, 1);
  EXPECT_TRUE(change([&](Ledger& ledger) { return ledger.complete_item(id, slit(), clock().now()); }));
  EXPECT_FALSE(retry());
}

}  // namespace
}  // namespace townpost
