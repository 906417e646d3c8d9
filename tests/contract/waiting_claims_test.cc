// Waiting for work: at which bell, for how long, and what ends it.
#include <functional>

#include "contract/lists_fixture.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Somebody who looks, and waits as the look says; what happens meanwhile is up to the test.
class WaitingClaimsTest : public ListsTest {
 protected:
  WaitingClaimsTest() {
    while_waiting_ = [&](Millis longest) { clock().advance(longest); };
  }
  Result<std::optional<QueuedMail>> try_wait(std::string_view who, const std::optional<std::string>& name,
                                             Millis longest) {
    const Instant end = clock().now() + longest;
    while (true) {
      TRY(look, claims().look(name, caller(who), Claims::Paused::wait));
      const Instant now = clock().now();
      if (look.mail || now >= end) return look.mail;
      waits_.emplace_back(look.bell, std::min(end, look.again_at) - now);
      if (waits_.size() > 1000) throw std::runtime_error("it waits forever");
      while_waiting_(waits_.back().second);
    }
  }
  std::optional<QueuedMail> wait(std::string_view who, const std::optional<std::string>& name, Millis longest) {
    return must(try_wait(who, name, longest));
  }
  std::function<void(Millis)> while_waiting_;
  std::vector<std::pair<BellKey, Millis>> waits_;
};
ON_EVERY_STORE(WaitingClaimsTest);

TEST_P(WaitingClaimsTest, WhatIsThereIsClaimedAtOnce) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  EXPECT_EQ(wait("nux", "dispatch", minutes(1))->message.id, id);
  EXPECT_TRUE(waits_.empty());
}

TEST_P(WaitingClaimsTest, NothingWithinTheTimeIsNothing) {
  simple_queue("dispatch");
  const Instant begun = clock().now();
  EXPECT_EQ(wait("nux", "dispatch", seconds(40)), std::nullopt);
  EXPECT_EQ(clock().now() - begun, seconds(40));
  EXPECT_EQ(wait("nux", "dispatch", Millis(0)), std::nullopt);
}

TEST_P(WaitingClaimsTest, OneQueueHasABellOfItsOwnAndAllHaveOne) {
  const QueueId id = simple_queue("dispatch").queue.id;
  wait("nux", "dispatch", seconds(1));
  ASSERT_EQ(waits_.size(), 1u);
  EXPECT_EQ(waits_[0].first, BellKey(id));
  wait("nux", std::nullopt, seconds(1));
  ASSERT_EQ(waits_.size(), 2u);
  EXPECT_EQ(waits_[1].first, BellKey::queues());
}

TEST_P(WaitingClaimsTest, WorkThatComesWhileWaitingIsClaimed) {
  simple_queue("dispatch");
  MessageId id;
  while_waiting_ = [&](Millis) { id = put("dispatch"); };
  EXPECT_EQ(wait("nux", std::nullopt, minutes(10))->message.id, id);
}

TEST_P(WaitingClaimsTest, WorkThatIsGivenBackIsClaimed) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  claim("slit", "dispatch");
  while_waiting_ = [&](Millis) { must(claims().release(id, caller("slit"))); };
  EXPECT_EQ(wait("nux", "dispatch", minutes(5))->message.id, id);
}

TEST_P(WaitingClaimsTest, ALeaseThatRunsOutIsNotSleptThrough) {
  queue({.name = "dispatch", .lease = seconds(7)});
  const MessageId id = put("dispatch");
  claim("slit", "dispatch");
  const auto mail = wait("nux", "dispatch", minutes(10));
  ASSERT_TRUE(mail.has_value());
  EXPECT_EQ(mail->message.id, id);
  EXPECT_EQ(mail->item.attempts, 2);
  ASSERT_EQ(waits_.size(), 1u);
  EXPECT_EQ(waits_[0].second, seconds(7));
}

TEST_P(WaitingClaimsTest, APausedQueueIsWaitedFor) {
  simple_queue("dispatch");
  put("dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  while_waiting_ = [&](Millis) { must(queues().set_state("dispatch", QueueState::active)); };
  EXPECT_TRUE(wait("nux", "dispatch", minutes(5)).has_value());
  EXPECT_EQ(waits_.size(), 1u);
}

TEST_P(WaitingClaimsTest, ALeaseOfAPausedQueueThatRanOutKeepsNobodyBusy) {
  queue({.name = "dispatch", .lease = seconds(7)});
  put("dispatch");
  claim("slit", "dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  clock().advance(minutes(1));
  EXPECT_EQ(wait("nux", "dispatch", seconds(40)), std::nullopt);
  EXPECT_LT(waits_.size(), 20u) << "it looked again and again instead of waiting";
}

TEST_P(WaitingClaimsTest, AQueueThatIsDeletedEndsTheWait) {
  simple_queue("dispatch");
  while_waiting_ = [&](Millis) { must(queues().remove("dispatch", Queues::Unfinished::drop)); };
  EXPECT_EQ(error_of(try_wait("nux", "dispatch", minutes(5))).code, Code::not_found);
}

TEST_P(WaitingClaimsTest, WhoMayNotClaimDoesNotWait) {
  queue({.name = "dispatch", .claimers = "max"});
  EXPECT_EQ(error_of(try_wait("nux", "dispatch", minutes(5))).code, Code::forbidden);
  EXPECT_TRUE(waits_.empty());
}

}  // namespace
}  // namespace townpost
