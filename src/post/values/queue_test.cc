#include "post/values/queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

constexpr Instant kNow{1'700'000'000'000};

QueueItem leased(int attempts, Instant until) {
  return {.message = {1},
          .queue = {1},
          .state = ItemState::leased,
          .attempts = attempts,
          .holder = AgentId{3},
          .claimed_at = kNow - Millis(1000),
          .lease_until = until};
}

TEST(QueueItem, IsLeasedUntilTheLastMillisecondOfItsLease) {
  EXPECT_EQ(standing(leased(1, kNow + Millis(1)), 5, kNow), ItemState::leased);
  EXPECT_EQ(standing(leased(1, kNow), 5, kNow), ItemState::available);
  EXPECT_EQ(standing(leased(1, kNow - Millis(1)), 5, kNow), ItemState::available);
}

TEST(QueueItem, IsDeadWhenTheLeaseOfItsLastAttemptRanOut) {
  EXPECT_EQ(standing(leased(4, kNow), 5, kNow), ItemState::available);
  EXPECT_EQ(standing(leased(5, kNow), 5, kNow), ItemState::dead);
  EXPECT_EQ(standing(leased(6, kNow), 5, kNow), ItemState::dead) << "the queue allows fewer by now";
  EXPECT_EQ(standing(leased(5, kNow + Millis(1)), 5, kNow), ItemState::leased) << "the last attempt is still going on";
}

// As move_leases will have it once somebody wakes up (town/keep_watch.h).
TEST(QueueItem, IsItsHoldersStillAfterANightInWhichNobodyWatched) {
  const LeaseTime morning(kNow + std::chrono::hours(9), kNow);
  EXPECT_EQ(standing(leased(5, kNow + Millis(1)), 5, morning), ItemState::leased);
  EXPECT_EQ(standing(leased(5, kNow), 5, morning), ItemState::dead) << "it had run out before";
  const LeaseTime next_day(kNow + std::chrono::hours(25), kNow);
  EXPECT_EQ(standing(leased(1, kNow + Millis(1)), 5, next_day), ItemState::available) << "but not for ever";
  EXPECT_EQ(standing(leased(1, next_day.now + Millis(1)), 5, next_day), ItemState::leased);
}

TEST(QueueItem, ThatIsNotLeasedStaysWhatItIsForever) {
  for (const auto state : {ItemState::available, ItemState::completed, ItemState::dead}) {
    QueueItem item = leased(9, {});
    item.state = state;
    EXPECT_EQ(standing(item, 5, kNow), state);
    EXPECT_EQ(standing(item, 5, Instant{INT64_MAX}), state);
  }
}

RC_GTEST_PROP(QueueItem, OnceItsLeaseRanOutItIsNeverLeasedAgainByTimeAlone, ()) {
  const auto item = leased(*rc::gen::inRange(1, 10), {*rc::gen::inRange<std::int64_t>(0, 1000)});
  const int most = *rc::gen::inRange(1, 10);
  const Instant early{*rc::gen::inRange<std::int64_t>(0, 1000)};
  const Instant late{*rc::gen::inRange<std::int64_t>(early.ms, 2000)};
  const auto before = standing(item, most, early);
  if (before != ItemState::leased) RC_ASSERT(standing(item, most, late) == before);
}

// G170
TEST(QueueBead, IsOfTheTownOrOfTheRig) {
  EXPECT_EQ(queue_bead({.id = {}, .name = "dispatch"}), "hq-q-dispatch");
  EXPECT_EQ(queue_bead({.id = {}, .name = "merge", .rig = "gastown", .prefix = "gt"}), "gt-q-merge");
}

TEST(QueueNames, AreTheWordsOfTheCommandLine) {
  EXPECT_EQ(name(QueueOrder::fifo), "fifo");
  EXPECT_EQ(name(QueueOrder::priority), "priority");
  EXPECT_EQ(name(QueueState::active), "active");
  EXPECT_EQ(name(QueueState::paused), "paused");
  EXPECT_EQ(name(QueueState::closed), "closed");
}

}  // namespace
}  // namespace townpost
