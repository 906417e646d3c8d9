// Waiting for work: at which bell, for how long, and what ends it.
#include <functional>

#include "contract/lists_fixture.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A bell at which waiting is what the test says it is.
class ScriptedBell final : public Bell {
 public:
  void ring(const BellKey&) override {}
  std::int64_t stamp(const BellKey&) override { return 0; }
  void wait(const BellKey& key, std::int64_t, Millis longest) override {
    waits.emplace_back(key, longest);
    if (waits.size() > 1000) throw std::runtime_error("it waits forever");
    while_waiting(longest);
  }
  void wait_for_any(const std::vector<int>&, Millis) override {}
  bool stamps_last() const override { return false; }
  std::function<void(Millis)> while_waiting;
  std::vector<std::pair<BellKey, Millis>> waits;
};

class WaitingClaimsTest : public ListsTest {
 protected:
  WaitingClaimsTest() {
    scripted_.while_waiting = [&](Millis longest) { clock().advance(longest); };
  }
  std::optional<QueuedMail> wait(std::string_view who, const std::optional<std::string>& name, Millis longest) {
    Town own{town().folder, town().settings, store(), scripted_, machine(), clock(), town().random};
    return must(Claims(own).wait_and_claim(name, longest, caller(who)));
  }
  ScriptedBell scripted_;
};
ON_EVERY_STORE(WaitingClaimsTest);

TEST_P(WaitingClaimsTest, WhatIsThereIsClaimedAtOnce) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  EXPECT_EQ(wait("nux", "dispatch", minutes(1))->message.id, id);
  EXPECT_TRUE(scripted_.waits.empty());
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
  ASSERT_EQ(scripted_.waits.size(), 1u);
  EXPECT_EQ(scripted_.waits[0].first, BellKey(id));
  wait("nux", std::nullopt, seconds(1));
  ASSERT_EQ(scripted_.waits.size(), 2u);
  EXPECT_EQ(scripted_.waits[1].first, BellKey::queues());
}

TEST_P(WaitingClaimsTest, WorkThatComesWhileWaitingIsClaimed) {
  simple_queue("dispatch");
  MessageId id;
  scripted_.while_waiting = [&](Millis) { id = put("dispatch"); };
  EXPECT_EQ(wait("nux", std::nullopt, minutes(10))->message.id, id);
}

TEST_P(WaitingClaimsTest, WorkThatIsGivenBackIsClaimed) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  claim("slit", "dispatch");
  scripted_.while_waiting = [&](Millis) { must(claims().release(id, caller("slit"))); };
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
  ASSERT_EQ(scripted_.waits.size(), 1u);
  EXPECT_EQ(scripted_.waits[0].second, seconds(7));
}

TEST_P(WaitingClaimsTest, APausedQueueIsWaitedFor) {
  simple_queue("dispatch");
  put("dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  scripted_.while_waiting = [&](Millis) { must(queues().set_state("dispatch", QueueState::open)); };
  EXPECT_TRUE(wait("nux", "dispatch", minutes(5)).has_value());
  EXPECT_EQ(scripted_.waits.size(), 1u);
}

TEST_P(WaitingClaimsTest, ALeaseOfAPausedQueueThatRanOutKeepsNobodyBusy) {
  queue({.name = "dispatch", .lease = seconds(7)});
  put("dispatch");
  claim("slit", "dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  clock().advance(minutes(1));
  EXPECT_EQ(wait("nux", "dispatch", seconds(40)), std::nullopt);
  EXPECT_LT(scripted_.waits.size(), 20u) << "it looked again and again instead of waiting";
}

TEST_P(WaitingClaimsTest, AQueueThatIsDeletedEndsTheWait) {
  simple_queue("dispatch");
  scripted_.while_waiting = [&](Millis) { must(queues().remove("dispatch", Queues::Unfinished::drop)); };
  Town own{town().folder, town().settings, store(), scripted_, machine(), clock(), town().random};
  EXPECT_EQ(error_of(Claims(own).wait_and_claim("dispatch", minutes(5), caller("nux"))).code, Code::not_found);
}

TEST_P(WaitingClaimsTest, WhoMayNotClaimDoesNotWait) {
  queue({.name = "dispatch", .claimers = "max"});
  Town own{town().folder, town().settings, store(), scripted_, machine(), clock(), town().random};
  EXPECT_EQ(error_of(Claims(own).wait_and_claim("dispatch", minutes(5), caller("nux"))).code, Code::forbidden);
  EXPECT_TRUE(scripted_.waits.empty());
}

}  // namespace
}  // namespace townpost
