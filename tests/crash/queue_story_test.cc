// A judge that cannot find anything wrong proves nothing: each of these stories but the first ones has one fault.
#include "crash/queue_story.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

const QueueRules kRules{.lease = Millis(2'000), .max_attempts = 2};

/// A message that was stored, claimed by ann and completed by her, with other steps in between.
QueueStory story(std::vector<QueueStory::Step> steps, const std::string& holder = "ann", std::int64_t attempts = 1) {
  steps.insert(steps.begin(), {.kind = "stored", .who = "max", .at = 1'000});
  return {.id = "hq-m-1", .state = 2, .attempts = attempts, .holder = holder, .history = std::move(steps), .told = {}};
}
QueueStory told(QueueStory story, std::vector<QueueStory::Told> told) {
  story.told = std::move(told);
  return story;
}
std::string fault_of(const QueueStory& story) { return fault(story, kRules); }

const std::string kRanOut = "the lease ran out in attempt 2 of 2; gt queue retry begins anew";

// sound ones

TEST(QueueStory, IsSoundIfTheClaimantCompletes) {
  EXPECT_EQ(fault_of(told(story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}}),
                          {{"completed", "ann"}, {"claimed", "ann", 1}})),
            "");
}

TEST(QueueStory, IsSoundIfSomebodyWasKilledBeforeTellingIt) {
  EXPECT_EQ(fault_of(told(story({{"claimed", "bob", 2'000},
                                 {"lease-ended", "bob", 4'000},
                                 {"claimed", "ann", 4'000},
                                 {"completed", "ann", 4'001}},
                                "ann", 2),
                          {{"claimed", "ann", 2}})),
            "");
}

TEST(QueueStory, IsSoundIfTheHolderCompletesAfterItsLeaseEnded) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"lease-ended", "ann", 4'000}, {"completed", "ann", 5'000}})),
            "");
  EXPECT_EQ(fault_of(story({{"claimed", "bob", 2'000},
                            {"failed", "bob", 2'100},
                            {"claimed", "ann", 2'200},
                            {"dead", "ann", 4'200, kRanOut},
                            {"completed", "ann", 5'000}},
                           "ann", 2)),
            "")
      << "also the last attempt";
}

TEST(QueueStory, IsSoundIfADeadMessageIsRetried) {
  EXPECT_EQ(fault_of(told(story({{"claimed", "ann", 2'000},
                                 {"failed", "ann", 2'100},
                                 {"claimed", "bob", 2'200},
                                 {"dead", "bob", 2'300, "attempt 2 of 2"},
                                 {"retried", "", 2'300},
                                 {"claimed", "bob", 2'400},
                                 {"released", "bob", 2'500},
                                 {"claimed", "ann", 2'600},
                                 {"extended", "ann", 4'000},
                                 {"completed", "ann", 5'900}}),
                          {{"claimed", "ann", 1},
                           {"failed", "ann"},
                           {"claimed", "bob", 2},
                           {"failed", "bob"},
                           {"claimed", "bob", 1},
                           {"released", "bob"},
                           {"claimed", "ann", 1},
                           {"extended", "ann"},
                           {"completed", "ann"}})),
            "");
}

// and those that must be found

TEST(QueueStory, HasAFaultIfTimeRunsBackwards) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"completed", "ann", 1'999}})),
            "hq-m-1 was completed before what comes before it");
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 999}, {"completed", "ann", 2'000}})),
            "hq-m-1 was claimed before what comes before it");
}

TEST(QueueStory, HasAFaultIfTwoHaveItAtOnce) {
  EXPECT_EQ(
      fault_of(story({{"claimed", "bob", 2'000}, {"claimed", "ann", 2'100}, {"completed", "ann", 2'200}}, "ann", 2)),
      "hq-m-1 was claimed by ann while bob had it");
}

TEST(QueueStory, HasAFaultIfTwoWereToldThatTheyHaveIt) {
  EXPECT_EQ(fault_of(told(story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}}),
                          {{"claimed", "ann", 1}, {"claimed", "bob", 1}})),
            "hq-m-1 was claimed by bob in attempt 1, who was told so; the log has not");
  EXPECT_EQ(fault_of(told(story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}}),
                          {{"claimed", "ann", 1}, {"claimed", "ann", 1}})),
            "hq-m-1 was claimed by ann in attempt 1, who was told so; the log has not");
}

TEST(QueueStory, HasAFaultIfSomebodyWasToldOfACompletionThatIsNotThere) {
  EXPECT_EQ(fault_of(told(story({{"claimed", "bob", 2'000},
                                 {"lease-ended", "bob", 4'000},
                                 {"claimed", "ann", 4'000},
                                 {"completed", "ann", 4'001}},
                                "ann", 2),
                          {{"completed", "ann"}, {"completed", "bob"}})),
            "hq-m-1 was completed by bob, who was told so; the log has not");
}

TEST(QueueStory, HasAFaultIfItWasCompletedTwiceOrNever) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}, {"completed", "ann", 2'002}})),
            "hq-m-1 was completed after it was completed");
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}})), "hq-m-1 was never completed");
}

TEST(QueueStory, HasAFaultIfItWasCompletedByAnother) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"completed", "bob", 2'001}})),
            "hq-m-1 was completed by bob, but ann had it");
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"failed", "ann", 2'001}, {"completed", "ann", 2'002}})),
            "hq-m-1 was completed by ann, but nobody had it");
}

TEST(QueueStory, HasAFaultIfItWasTakenAwayBeforeTheLeaseWasOver) {
  EXPECT_EQ(fault_of(story({{"claimed", "bob", 2'000},
                            {"extended", "bob", 3'000},
                            {"lease-ended", "bob", 4'999},
                            {"claimed", "ann", 5'000},
                            {"completed", "ann", 5'001}},
                           "ann", 2)),
            "hq-m-1 was taken from bob before its time");
  EXPECT_EQ(fault_of(story({{"claimed", "bob", 2'000},
                            {"failed", "bob", 2'001},
                            {"claimed", "ann", 2'002},
                            {"dead", "ann", 4'001, kRanOut},
                            {"completed", "ann", 5'001}},
                           "ann", 2)),
            "hq-m-1 was taken from ann before its time");
}

TEST(QueueStory, HasAFaultIfALeaseEndedThatNobodyHad) {
  EXPECT_EQ(fault_of(story({{"lease-ended", "ann", 4'000}, {"claimed", "ann", 4'000}, {"completed", "ann", 4'001}})),
            "hq-m-1 lost a lease that nobody had");
}

TEST(QueueStory, HasAFaultIfItDiedTooEarlyOrNotAtAll) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"dead", "ann", 2'001, "attempt 1 of 2"}})),
            "hq-m-1 was given up in attempt 1");
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"dead", "ann", 4'000, kRanOut}})),
            "hq-m-1 was dead in attempt 1");
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000},
                            {"failed", "ann", 2'001},
                            {"claimed", "ann", 2'002},
                            {"failed", "ann", 2'003},
                            {"claimed", "ann", 2'004},
                            {"completed", "ann", 2'005}},
                           "ann", 3)),
            "hq-m-1 failed in its last attempt and did not die");
}

TEST(QueueStory, HasAFaultIfItWasClaimedWhileItWasDead) {
  EXPECT_EQ(fault_of(story({{"claimed", "bob", 2'000},
                            {"failed", "bob", 2'001},
                            {"claimed", "bob", 2'002},
                            {"dead", "bob", 2'003, "attempt 2 of 2"},
                            {"claimed", "ann", 2'004},
                            {"completed", "ann", 2'005}})),
            "hq-m-1 was claimed by ann although it was dead");
}

TEST(QueueStory, HasAFaultIfItWasRetriedWithoutBeingDead) {
  EXPECT_EQ(fault_of(story({{"claimed", "ann", 2'000}, {"retried", "", 2'001}})),
            "hq-m-1 was retried although it was not dead");
}

TEST(QueueStory, HasAFaultIfItsSenderWasInQuarantineAsItWasHandedOut) {
  auto handed_out = story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}});
  handed_out.history[1].in_quarantine = true;
  EXPECT_EQ(fault_of(handed_out), "hq-m-1 was handed to ann although its sender was in quarantine");
  auto finished = story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}});
  finished.history[2].in_quarantine = true;
  EXPECT_EQ(fault_of(finished), "") << "who has it already may complete it";
}

TEST(QueueStory, HasAFaultIfTheStoreSaysSomethingElse) {
  auto claimed_twice = story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}}, "ann", 2);
  EXPECT_EQ(fault_of(claimed_twice), "hq-m-1 counts 2 attempts, its history 1");
  auto of_bob = story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}}, "bob");
  EXPECT_EQ(fault_of(of_bob), "hq-m-1 was completed by ann, but belongs to bob");
  auto available = story({{"claimed", "ann", 2'000}, {"completed", "ann", 2'001}});
  available.state = 0;
  EXPECT_EQ(fault_of(available), "hq-m-1 is in state 0");
}

}  // namespace
}  // namespace townpost
