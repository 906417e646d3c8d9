// How nudges end by age, and what sleep, holds and do-not-disturb do to their time.
#include "contract/nudge_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class NudgeExpiryTest : public NudgeTest {
 protected:
  NudgeExpiryTest() { limits().enabled = false; }
  Cares cares() { return Cares(town()); }
  void hold(const std::string& who, Millis length) { must(cares().hold(who, length, caller("overseer"))); }
};
ON_EVERY_STORE(NudgeExpiryTest);

TEST_P(NudgeExpiryTest, PastItsLifeItIsExpiredAndNeverShown) {  // K014
  const Nudge one = nudge("max", "nux", "too late", [](NudgeDraft& draft) {
    draft.mode = NudgeMode::queue;
    draft.ttl = seconds(60);
  });
  for (int second = 1; second < 60; ++second) {
    tick(seconds(1));
    ASSERT_EQ(state(one), NudgeState::queued) << "after " << second << " s";
  }
  for (int second = 60; second <= 90; ++second) {
    tick(seconds(1));
    ASSERT_EQ(state(one), NudgeState::expired) << "after " << second << " s";
  }
  for (const auto boundary : {Boundary::start, Boundary::prompt, Boundary::turn_end, Boundary::idle})
    EXPECT_EQ(shown("nux", boundary), Strings{}) << name(boundary);
  EXPECT_EQ(now(one).delivered_at, std::nullopt);
  EXPECT_EQ(history(one), (Strings{"queued", "expired"}));
  EXPECT_EQ(notices("max"), Strings{"Nudge expired: you wrote \"too late\""}) << "exactly one";
  EXPECT_TRUE(notices("mayor/").empty());
  EXPECT_TRUE(notices("nux").empty());
}

TEST_P(NudgeExpiryTest, ItIsNotShownInTheMomentItsLifeEnds) {
  nudge("max", "nux", "too late", with_life(seconds(30)));
  clock().advance(seconds(30));
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{});
}

TEST_P(NudgeExpiryTest, AnyWriteOfTheTownEndsWhatOutlivedItsTime) {
  const Nudge one = nudge("max", "nux", "too late", with_life(seconds(30)));
  clock().advance(seconds(30));
  send("slit", "max");
  EXPECT_EQ(state(one), NudgeState::expired);
  EXPECT_EQ(notices("max").size(), 1u);
}

TEST_P(NudgeExpiryTest, ABounceWakesNobodyAndNeverBounces) {
  starts("max");
  nudge("max", "nux", "too late", with_life(seconds(30)));
  tick(seconds(31));
  ASSERT_EQ(notices("max").size(), 1u);
  EXPECT_TRUE(line("max").empty());
  tick(hours(25), seconds(60));
  EXPECT_EQ(notices("max").size(), 1u);
  EXPECT_TRUE(must(nudges().list({.target = id_of("max")})).empty());
}

TEST_P(NudgeExpiryTest, OfTheTownsOwnTheEscalationTargetIsTold) {
  const Caller town_itself{Address::system(), Grade::env};
  NudgeDraft warning = draft("nux", "you are silent");
  warning.ttl = seconds(30);
  must(nudges().send(warning, town_itself));
  warning.text = "you are very silent";
  warning.urgent = true;
  must(nudges().send(warning, town_itself));
  tick(seconds(31));
  Strings found = notices("mayor/");
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Strings{"Nudge expired: the town wrote \"you are silent\"",
                            "Nudge expired: the town wrote \"you are very silent\""}));
}

TEST_P(NudgeExpiryTest, OfAnUrgentOneTheEscalationTargetIsToldToo) {
  nudge("max", "nux", "fire", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.ttl = seconds(30);
  });
  tick(seconds(40));
  EXPECT_EQ(notices("max"), Strings{"Nudge expired: you wrote \"fire\""});
  EXPECT_EQ(notices("mayor/"), Strings{"Urgent nudge expired: beads/crew/max wrote \"fire\""});
  const Nudge by_the_mayor = nudge("mayor/", "nux", "smoke", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.ttl = seconds(30);
  });
  tick(seconds(40));
  EXPECT_EQ(state(by_the_mayor), NudgeState::expired);
  EXPECT_EQ(notices("mayor/").size(), 2u) << "one mail, not two, to the same mailbox";
}

TEST_P(NudgeExpiryTest, AnUrgentOneThatWaitsTenMinutesEscalatesOnceAndStays) {
  const Nudge one = nudge("max", "nux", "fire", urgently);
  tick(minutes(10) - seconds(10), seconds(10));
  EXPECT_TRUE(notices("mayor/").empty());
  tick(seconds(10));
  EXPECT_EQ(notices("mayor/"), Strings{"Urgent nudge for beads/polecats/nux still waits"});
  tick(hours(2), seconds(60));
  EXPECT_EQ(notices("mayor/").size(), 1u);
  EXPECT_TRUE(notices("max").empty());
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(history(one), (Strings{"queued", "escalated"}));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"fire"});
}

TEST_P(NudgeExpiryTest, AnOrdinaryOneDoesNotEscalateAndADeliveredOneNeither) {
  nudge("max", "nux", "when you can");
  nudge("max", "slit", "fire", urgently);
  show("slit", Boundary::idle);
  tick(minutes(30), seconds(60));
  EXPECT_TRUE(notices("mayor/").empty());
}

TEST_P(NudgeExpiryTest, WhoeverIsGoneOrRenamedWhenItExpiresHoldsUpNobody) {
  register_agent("beads/polecats/gone");
  register_agent("shortlived");
  for (const auto* sender : {"beads/polecats/gone", "shortlived"})
    nudge(sender, "nux", cat("from ", sender), with_life(seconds(30)));
  must(registry().remove_agent("beads/polecats/gone"));
  must(registry().remove_agent("shortlived"));
  tick(seconds(31));
  send("slit", "max", "others write on");
  EXPECT_TRUE(line("nux").empty());
}

TEST_P(NudgeExpiryTest, ALongSleepExpiresNothingAndGivesFiveMinutesMore) {
  std::vector<Nudge> all;
  for (int i = 0; i < 40; ++i) all.push_back(nudge("max", "nux", cat("number ", i), with_life(seconds(60))));
  all.push_back(nudge("max", "nux", "urgent", urgently));
  tick(seconds(20));
  sleep(hours(8));
  must(nudges().tend());
  send("slit", "max", "a write after the sleep");
  for (const auto& one : all) ASSERT_EQ(state(one), NudgeState::queued);
  tick(minutes(5) + seconds(39));
  EXPECT_EQ(line("nux").size(), 41u) << "each has what was left of its minute, and five more";
  EXPECT_TRUE(notices("max").empty() && notices("mayor/").empty());
  tick(seconds(5));
  EXPECT_EQ(line("nux").size(), 1u);
  EXPECT_EQ(notices("max").size(), 40u) << "one for each that was lost";
}

TEST_P(NudgeExpiryTest, WithNobodyWatchingTimeStandsStill) {
  const Nudge one = nudge("max", "nux", "patient", with_life(minutes(1)));
  for (int hour = 0; hour < 8; ++hour) {
    sleep(hours(1));
    send("slit", "max", cat("mail ", hour));  // people work, but no dispatcher runs
  }
  EXPECT_EQ(state(one), NudgeState::queued);
}

TEST_P(NudgeExpiryTest, ManyAtOnceEndInShares) {
  for (int i = 0; i < 45; ++i) nudge("max", "nux", cat("number ", i), with_life(seconds(30)));
  clock().advance(seconds(31));
  must(nudges().tend());
  EXPECT_GT(line("nux").size(), 0u) << "one write does not do it all";
  for (int i = 0; i < 5; ++i) must(nudges().tend());
  EXPECT_EQ(line("nux").size(), 0u);
  EXPECT_EQ(notices("max").size(), 45u);
}

TEST_P(NudgeExpiryTest, TendSaysWhenToLookAgain) {
  EXPECT_EQ(must(nudges().tend()), std::nullopt);
  nudge("max", "nux", "", with_life(minutes(7)));
  EXPECT_EQ(must(nudges().tend()), clock().now() + minutes(7));
  nudge("max", "nux", "", urgently);
  tick(minutes(1), seconds(30));
  EXPECT_EQ(must(nudges().tend()), clock().now() + minutes(6));
}

TEST_P(NudgeExpiryTest, WhatMayNotEndYetKeepsNobodyBusy) {
  nudge("max", "nux", "held", with_life(seconds(30)));
  hold("nux", hours(1));
  nudge("max", "slit", "handed", with_life(seconds(30)));
  must(nudges().handed(take("slit", Boundary::idle), "a hook"));
  tick(seconds(40));
  const auto next = must(nudges().tend());
  ASSERT_TRUE(next.has_value()) << "the hold ends some day";
  EXPECT_GE(*next, clock().now() + seconds(1)) << "a dispatcher that believes this would never rest";
}

TEST_P(NudgeExpiryTest, WhileItsTargetIsHeldNothingIsShownAndTimeStandsStill) {
  const Nudge one = nudge("max", "nux", "patient", with_life(minutes(30)));
  hold("nux", hours(1));
  tick(minutes(59), seconds(60));
  const Parcel parcel = take("nux", Boundary::prompt);
  EXPECT_TRUE(parcel.empty());
  ASSERT_TRUE(parcel.held.has_value());
  EXPECT_EQ(parcel.look_again_at, clock().now() + minutes(1));
  EXPECT_EQ(state(one), NudgeState::queued);
  tick(minutes(1), seconds(60));
  tick(minutes(29), seconds(60));
  EXPECT_EQ(state(one), NudgeState::queued) << "its life goes on where it stood";
  tick(minutes(2), seconds(60));
  EXPECT_EQ(state(one), NudgeState::expired);
}

TEST_P(NudgeExpiryTest, AfterAHoldNothingEndsBeforeItsTimeWasMoved) {
  const Nudge one = nudge("max", "nux", "patient", with_life(minutes(30)));
  hold("nux", hours(1));
  tick(minutes(60) - seconds(1), seconds(60));
  clock().advance(seconds(1));
  send("slit", "max", "the first write after the hold is no dispatcher's");
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{"patient"});
}

TEST_P(NudgeExpiryTest, WhileTheWholeTownIsHeldNobodyIsShownAnything) {
  const Nudge to_nux = nudge("max", "nux", "one", with_life(minutes(30)));
  const Nudge to_slit = nudge("max", "slit", "other", urgently);
  must(cares().hold(std::nullopt, hours(1), caller("overseer")));
  tick(minutes(59), seconds(60));
  for (const auto* who : {"nux", "slit"}) EXPECT_TRUE(take(who, Boundary::start).empty());
  EXPECT_TRUE(notices("mayor/").empty()) << "nor does anything escalate";
  tick(minutes(1), seconds(60));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"one"});
  tick(minutes(9), seconds(60));
  EXPECT_TRUE(notices("mayor/").empty());
  tick(minutes(2), seconds(60));
  EXPECT_EQ(notices("mayor/").size(), 1u);
  EXPECT_EQ(state(to_nux), NudgeState::delivered);
  EXPECT_EQ(state(to_slit), NudgeState::queued);
}

TEST_P(NudgeExpiryTest, AReleaseEndsAHoldEarlyAndMovesByItsRealLength) {
  const Nudge to_nux = nudge("max", "nux", "one", with_life(minutes(30)));
  const Nudge to_slit = nudge("max", "slit", "other", with_life(minutes(30)));
  must(cares().hold("nux", std::nullopt, caller("overseer")));
  must(cares().hold(std::nullopt, hours(100), caller("overseer")));
  tick(minutes(50), seconds(60));
  must(cares().release(std::nullopt, caller("overseer")));
  EXPECT_TRUE(take("nux", Boundary::prompt).empty()) << "held by name";
  must(cares().release("nux", caller("overseer")));
  tick(minutes(29), seconds(60));
  EXPECT_EQ(state(to_slit), NudgeState::queued);
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"one"});
  EXPECT_EQ(state(to_nux), NudgeState::delivered);
  tick(minutes(2), seconds(60));
  EXPECT_EQ(state(to_slit), NudgeState::expired);
}

TEST_P(NudgeExpiryTest, TwoHoldsAtOnceMoveTheTimeOnce) {
  const Nudge one = nudge("max", "nux", "one", with_life(minutes(30)));
  hold("nux", minutes(60));
  tick(minutes(20), seconds(60));
  must(cares().hold(std::nullopt, minutes(60), caller("overseer")));  // 40 of its minutes are held by name, too
  tick(minutes(61), seconds(60));
  tick(minutes(28), seconds(60));
  EXPECT_EQ(state(one), NudgeState::queued) << "80 minutes were held, and 29 of its 30 have passed";
  tick(minutes(2), seconds(60));
  EXPECT_EQ(state(one), NudgeState::expired);
}

TEST_P(NudgeExpiryTest, ATownsHoldInsideAnAgentsOwnMovesNothingMore) {
  const Nudge one = nudge("max", "nux", "one", with_life(minutes(30)));
  hold("nux", minutes(60));
  must(cares().hold(std::nullopt, minutes(10), caller("overseer")));
  tick(minutes(61), seconds(60));
  tick(minutes(28), seconds(60));
  EXPECT_EQ(state(one), NudgeState::queued);
  tick(minutes(2), seconds(60));
  EXPECT_EQ(state(one), NudgeState::expired);
}

TEST_P(NudgeExpiryTest, ANudgeSentDuringAHoldGetsNoMoreThanItsOwnLife) {
  hold("nux", hours(1));
  tick(minutes(59), seconds(60));
  const Nudge one = nudge("max", "nux", "late", with_life(minutes(30)));
  tick(minutes(30), seconds(60));
  EXPECT_EQ(state(one), NudgeState::queued) << "one minute of it was held";
  tick(minutes(2), seconds(60));
  EXPECT_EQ(state(one), NudgeState::expired);
}

TEST_P(NudgeExpiryTest, WhoDoesNotWantToBeDisturbedIsNotUnlessForced) {
  must(cares().disturb_not(std::nullopt, hours(1), caller("nux")));
  nudge("max", "nux", "hello");
  nudge("max", "nux", "sorry, but", [](NudgeDraft& draft) { draft.forced = true; });
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"sorry, but"});
  const Parcel rest = take("nux", Boundary::idle);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(rest.look_again_at, clock().now() + hours(1)) << "nothing rings when it is over";
  tick(hours(1), seconds(60));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"hello"});
}

TEST_P(NudgeExpiryTest, ANudgeAboutABeadIsForItsHolderOnly) {
  auto about = [](const std::string& bead) { return [bead](NudgeDraft& draft) { draft.bead = bead; }; };
  const Nudge before = nudge("max", "nux", "rebase be-7", about("be-7"));
  const Nudge anybody = nudge("max", "nux", "hello");
  must(cares().set_hook("nux", "be-9", {}));
  const Nudge own = nudge("max", "nux", "rebase be-9", about("be-9"));
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"hello", "rebase be-9"}));
  EXPECT_EQ(state(before), NudgeState::superseded);
  EXPECT_TRUE(has(now(before).last_error, "be-7")) << now(before).last_error;
  EXPECT_EQ(state(anybody), NudgeState::delivered);
  EXPECT_EQ(state(own), NudgeState::delivered);
  EXPECT_TRUE(notices("max").empty());
}

TEST_P(NudgeExpiryTest, ANudgeAboutABeadIsNotForSomebodyWhoGaveItUp) {
  const Nudge one = nudge("max", "nux", "rebase be-7", [](NudgeDraft& draft) { draft.bead = "be-7"; });
  must(cares().set_hook("nux", "be-7", {}));
  must(cares().set_hook("nux", "", {}));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  EXPECT_EQ(state(one), NudgeState::superseded);
}

}  // namespace
}  // namespace townpost
