// The rules of loops and storms, as they apply to nudges and to being woken.
#include "contract/nudge_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class NudgeLimitsTest : public NudgeTest {
 protected:
  NudgeLimitsTest() {
    for (const auto* who : {"nux", "slit", "max"}) starts(who);
  }
  /// What `who` was shown last was so deep in a chain of answers.
  void was_shown(std::string_view who, int hops) {
    Agent agent = agent_of(who);
    agent.shown_hops = hops;
    agent.shown_at = clock().now();
    writing(store(), [&](Ledger& ledger) { must(ledger.update_shown(agent)); });
  }
  NudgeReceipt receipt(std::string_view from, const std::string& to) {
    return must(nudges().send(draft(to), caller(from))).at(0);
  }
  /// Wakes of others, by agents, in the last hour.
  void add_wakes(std::int64_t number) {
    const AgentId slit = id_of("slit");
    writing(store(), [&](Ledger& ledger) {
      for (std::int64_t i = 0; i < number; ++i)
        must(ledger.add_wake({.agent = slit, .at = clock().now(), .by_agent = true}));
    });
  }
  std::int64_t most_wakes() {
    const auto everybody = must(registry().agents());
    const auto agents = std::count_if(everybody.begin(), everybody.end(), [](const Agent& one) {
      return one.address.role() != Role::human && one.address.role() != Role::system;
    });
    return std::max<std::int64_t>(60, 10 * agents);
  }
  static std::string rule(const Parcel& parcel) { return parcel.held ? parcel.held->rule : ""; }
  /// How many nudges of max, each a little after the other, wake nux within an hour.
  int wakes_in_an_hour(const DraftChange& change) {
    const Instant end = clock().now() + minutes(55);
    int woken = 0;
    while (clock().now() < end) {
      nudge("overseer", "slit");  // somebody else's day goes on
      show("slit", Boundary::idle);
      must(nudges().send(
          [&] {
            auto wanted = draft("nux");
            if (change) change(wanted);
            return wanted;
          }(),
          caller(woken % 2 == 0 ? "max" : "slit")));
      if (!show("nux", Boundary::idle).empty()) ++woken;
      tick(seconds(60), seconds(60));
    }
    return woken;
  }
};
ON_EVERY_STORE(NudgeLimitsTest);

TEST_P(NudgeLimitsTest, ANudgeIsOneDeeperThanWhatItsSenderWasShown) {
  EXPECT_EQ(nudge("max", "nux").hops, 1);
  show("nux", Boundary::idle);
  EXPECT_EQ(nudge("nux", "slit").hops, 2);
  show("slit", Boundary::idle);
  EXPECT_EQ(nudge("slit", "max").hops, 3);
  EXPECT_EQ(nudge("overseer", "max").hops, 0);
}

TEST_P(NudgeLimitsTest, WhatAPersonSaysBeginsANewChain) {
  was_shown("nux", 7);
  nudge("overseer", "nux", "go on");
  show("nux", Boundary::idle);
  EXPECT_EQ(nudge("nux", "slit").hops, 1);
}

TEST_P(NudgeLimitsTest, APromptBeginsANewChain) {
  was_shown("nux", 7);
  EXPECT_TRUE(show("nux", Boundary::prompt).empty());
  EXPECT_EQ(nudge("nux", "slit").hops, 1);
}

TEST_P(NudgeLimitsTest, ACompactionIsNobodysWordAndBeginsNoNewChain) {
  was_shown("nux", 7);
  EXPECT_TRUE(show("nux", Boundary::start).empty());
  EXPECT_EQ(nudge("nux", "slit").hops, 8) << "a session that was compacted in the middle of a loop";
}

TEST_P(NudgeLimitsTest, OverEightAnswersInAChainAreHeldForTheNextPrompt) {  // L1
  was_shown("max", 7);
  EXPECT_EQ(receipt("max", "nux").nudge.held_by, "") << "the eighth";
  show("nux", Boundary::idle);
  was_shown("max", 8);
  const auto held = receipt("max", "nux");
  EXPECT_EQ(held.nudge.hops, 9);
  EXPECT_EQ(held.nudge.held_by, "L1");
  EXPECT_TRUE(has(held.note, "L1")) << held.note;
  EXPECT_TRUE(has(join(must(nudges().explain(held.nudge.id)).in_the_way, "; "), "L1"));
  tick(minutes(5), seconds(60));
  for (const auto boundary : {Boundary::idle, Boundary::turn_end, Boundary::tool, Boundary::busy})
    EXPECT_TRUE(take("nux", boundary).empty()) << name(boundary);
  EXPECT_EQ(rule(take("nux", Boundary::idle)), "L1");
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{held.nudge.text});
}

TEST_P(NudgeLimitsTest, WhatIsHeldGoesWithWhatIsNot) {
  was_shown("max", 8);
  const auto held = receipt("max", "nux").nudge;
  nudge("overseer", "nux", "a person's word");
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{held.text, "a person's word"}));
}

TEST_P(NudgeLimitsTest, OverSixteenAnswersInAChainAreRefusedAndOneIsTold) {  // L1
  was_shown("max", 15);
  nudge("max", "nux");
  was_shown("max", 16);
  for (int i = 0; i < 3; ++i) {
    const Error error = nudge_refusal("max", draft("nux"));
    EXPECT_EQ(error.code, Code::limited);
    EXPECT_TRUE(has(error.message, "L1")) << error.message;
  }
  EXPECT_EQ(line("nux").size(), 1u);
  EXPECT_EQ(notices("mayor/").size(), 1u) << "a loop is escalated once, by whatever it goes on";
}

TEST_P(NudgeLimitsTest, ManyToOneInAMinuteAreHeldUntilTheMinuteIsOver) {  // L2
  Nudge last;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(receipt("max", "nux").nudge.held_by, "");
  last = receipt("max", "nux").nudge;
  EXPECT_EQ(last.held_by, "L2");
  EXPECT_EQ(receipt("max", "slit").nudge.held_by, "") << "to another";
  EXPECT_EQ(receipt("slit", "nux").nudge.held_by, "") << "by another";
  EXPECT_EQ(receipt("overseer", "nux").nudge.held_by, "");
}

TEST_P(NudgeLimitsTest, WhatWasHeldByThePairWakesWhenTheWindowHasCleared) {  // L2
  for (int i = 0; i < 10; ++i) receipt("max", "nux");
  const Nudge last = receipt("max", "nux").nudge;
  for (const auto& one : line("nux"))
    if (one.id != last.id) must(nudges().drop(one.id, "only the last is of interest", caller("overseer")));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  tick(seconds(61));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{last.text});
}

TEST_P(NudgeLimitsTest, WhatIsHeldByThePairIsShownAtAPromptBefore) {  // L2
  for (int i = 0; i < 12; ++i) receipt("max", "nux");
  EXPECT_EQ(shown("nux", Boundary::prompt).size(), 12u);
}

TEST_P(NudgeLimitsTest, MailAndNudgesCountTogether) {  // L2
  for (int i = 0; i < 5; ++i) send("max", "nux");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(receipt("max", "nux").nudge.held_by, "");
  EXPECT_EQ(receipt("max", "nux").nudge.held_by, "L2");
  EXPECT_EQ(send("max", "nux").recipients.at(0).state, ReachState::held);
}

TEST_P(NudgeLimitsTest, WhoSendsTooMuchIsRefusedAndToldWhenToTryAgain) {  // L3
  limits().sender_per_hour = 3;
  nudge("max", "nux");
  send("max", "slit");
  nudge("max", "slit");
  const Error error = nudge_refusal("max", draft("nux"));
  EXPECT_EQ(error.code, Code::limited);
  EXPECT_TRUE(has(error.message, "L3")) << error.message;
  ASSERT_TRUE(error.retry_after_s.has_value());
  EXPECT_LE(*error.retry_after_s, 3601);
  for (int i = 0; i < 10; ++i) nudge("overseer", "nux", cat("a person may: ", i));
  clock().advance(hours(1) + seconds(1));
  nudge("max", "nux");
}

TEST_P(NudgeLimitsTest, WhoIsRefusedThriceIsHeldUntilAPersonReleasesIt) {  // L3
  limits().sender_per_hour = 1;
  nudge("max", "nux");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(nudge_refusal("max", draft("nux")).code, Code::limited);
  EXPECT_EQ(notices("overseer"), Strings{"beads/crew/max sends too much; its mail is held"}) << "told once";
  limits().sender_per_hour = 120;
  EXPECT_EQ(nudge("max", "nux").held_by, "L3");
}

TEST_P(NudgeLimitsTest, AgentsWakeOneAgentOnceInThirtySecondsAndTheRestIsOneDigest) {  // L4
  nudge("max", "nux", "first");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"first"});
  nudge("max", "nux", "second");
  nudge("slit", "nux", "third");
  const Parcel held = take("nux", Boundary::idle);
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(rule(held), "L4");
  ASSERT_TRUE(held.look_again_at.has_value());
  EXPECT_GT(*held.look_again_at, clock().now() + seconds(29));
  EXPECT_LE(*held.look_again_at, clock().now() + seconds(31));
  EXPECT_TRUE(take("nux", Boundary::turn_end).empty()) << "to go on is to be woken, too";
  tick(seconds(29));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  tick(seconds(2));
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"second", "third"}));
}

TEST_P(NudgeLimitsTest, AWakeIsNoWakeWhereTheAgentCameByItself) {  // L4
  for (const auto boundary : {Boundary::prompt, Boundary::start, Boundary::tool, Boundary::busy}) {
    const Nudge one = nudge("max", "nux", "", with_mode(NudgeMode::immediate));
    EXPECT_EQ(shown("nux", boundary), Strings{one.text}) << name(boundary);
  }
  const Nudge one = nudge("max", "nux");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{one.text});
}

TEST_P(NudgeLimitsTest, PeopleWakeWhenTheyLike) {  // L4, L6
  nudge("max", "nux");
  show("nux", Boundary::idle);
  add_wakes(most_wakes());
  for (int i = 0; i < 30; ++i) {
    const Nudge one = nudge("overseer", "nux");
    ASSERT_EQ(shown("nux", Boundary::idle), Strings{one.text});
  }
  nudge("max", "nux", "an agent's");
  EXPECT_TRUE(take("nux", Boundary::idle).empty())
      << "what people do does not count, but that of the agent before does";
}

TEST_P(NudgeLimitsTest, MailOfWhomeverInterruptsOnceInFiveSecondsAndTheRestIsToldTogether) {  // L4
  send("overseer", "nux", "first");
  EXPECT_EQ(show("nux", Boundary::idle).mail.offered.size(), 1u);
  const Instant told = clock().now();
  for (const auto* subject : {"second", "third", "fourth"}) {
    tick(seconds(1));
    send("overseer", "nux", subject);
    for (const auto boundary : {Boundary::idle, Boundary::turn_end}) {
      const auto held = take("nux", boundary);
      EXPECT_TRUE(held.empty()) << subject;
      EXPECT_EQ(rule(held), "L4");
      EXPECT_EQ(held.look_again_at, told + seconds(5)) << subject;
    }
  }
  tick(seconds(2));
  EXPECT_EQ(show("nux", Boundary::idle).mail.offered.size(), 3u) << "in one block";
}

TEST_P(NudgeLimitsTest, UrgentMailInterruptsAtOnceAndTakesTheRestAlong) {  // L4
  send("overseer", "nux", "first");
  show("nux", Boundary::idle);
  send("overseer", "nux", "second");
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  Letter fire = letter("nux", "fire");
  fire.priority = Priority::urgent;
  send("overseer", fire);
  EXPECT_EQ(show("nux", Boundary::idle).mail.offered.size(), 2u);
}

TEST_P(NudgeLimitsTest, MailThatCameWithAPromptInterruptedNobody) {  // L4
  send("overseer", "nux", "first");
  EXPECT_EQ(show("nux", Boundary::prompt).mail.offered.size(), 1u);
  tick(seconds(1));
  send("overseer", "nux", "second");
  EXPECT_EQ(show("nux", Boundary::turn_end).mail.offered.size(), 1u);
}

TEST_P(NudgeLimitsTest, MailGoesAlongWithANudgeOfAPerson) {  // L4
  send("overseer", "nux", "first");
  show("nux", Boundary::idle);
  send("overseer", "nux", "second");
  nudge("overseer", "nux", "look");
  const auto parcel = show("nux", Boundary::idle);
  EXPECT_EQ(texts(parcel), Strings{"look"});
  EXPECT_EQ(parcel.mail.offered.size(), 1u);
}

TEST_P(NudgeLimitsTest, MailInterruptsWhenItLikesWhereThatIsAllowed) {  // L4
  limits().mail_spacing_s = 0;
  for (const auto* subject : {"first", "second"}) {
    send("overseer", "nux", subject);
    EXPECT_EQ(show("nux", Boundary::idle).mail.offered.size(), 1u) << subject;
  }
}

TEST_P(NudgeLimitsTest, AgentsWakeOneAgentTwentyTimesAnHour) { EXPECT_EQ(wakes_in_an_hour({}), 20); }  // L4

TEST_P(NudgeLimitsTest, UrgentlyTheyWakeItTenTimesAnHour) { EXPECT_EQ(wakes_in_an_hour(urgently), 10); }  // L4

TEST_P(NudgeLimitsTest, TheUrgentAreCountedForThemselves) {  // L4
  nudge("max", "nux", "ordinary");
  show("nux", Boundary::idle);
  nudge("max", "nux", "urgent", urgently);
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"urgent"}) << "no need to wait thirty seconds";
  for (int i = 0; i < 9; ++i) {
    nudge("slit", "nux", cat("urgent ", i), urgently);
    EXPECT_FALSE(show("nux", Boundary::idle).empty()) << i;
  }
  tick(seconds(31));
  nudge("max", "nux", "one too many", urgently);
  EXPECT_EQ(rule(take("nux", Boundary::idle)), "L4");
  nudge("max", "nux", "ordinary again");
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"one too many", "ordinary again"}))
      << "an ordinary wake is left, and everything goes with it";
}

TEST_P(NudgeLimitsTest, WhenAgentsWakeTheWholeTownTheyAreHeldAndAPersonIsToldOnce) {  // L6
  send("nux", "alpha/witness");
  starts("alpha/witness");
  add_wakes(most_wakes() - 1);
  nudge("max", "nux", "the last");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"the last"});
  for (int i = 0; i < 5; ++i) {
    nudge("max", "alpha/witness", cat("too many ", i));
    EXPECT_EQ(rule(take("alpha/witness", Boundary::idle)), "L6");
    tick(minutes(1), seconds(60));
  }
  EXPECT_EQ(notices("overseer"), Strings{"Agents keep waking each other; wakes are held"});
  EXPECT_EQ(shown("alpha/witness", Boundary::prompt).size(), 5u) << "what waits is shown when it comes by itself";
  tick(hours(1), seconds(60));
  nudge("max", "nux", "a new hour");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"a new hour"});
}

TEST_P(NudgeLimitsTest, ARuleThatIsOffHoldsNothing) {
  limits().enabled = false;
  was_shown("max", 40);
  add_wakes(most_wakes());
  for (int i = 0; i < 40; ++i) {
    const Nudge one = nudge("max", "nux");
    ASSERT_EQ(one.held_by, "");
    ASSERT_EQ(shown("nux", Boundary::idle), Strings{one.text});
  }
}

TEST_P(NudgeLimitsTest, NothingOfAQuarantinedAgentIsShown) {
  const Nudge before = nudge("max", "nux", "before");
  must(Cares(town()).quarantine("max", caller("overseer")));
  const Nudge after = nudge("max", "nux", "after", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.mode = NudgeMode::immediate;
  });
  nudge("slit", "nux", "from somebody else");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"from somebody else"});
  for (const auto boundary : {Boundary::start, Boundary::prompt, Boundary::tool, Boundary::busy})
    EXPECT_TRUE(take("nux", boundary).empty()) << name(boundary);
  must(Cares(town()).lift_quarantine("max", caller("overseer")));
  tick(seconds(31));
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"after", "before"}));
  EXPECT_EQ(state(before), NudgeState::delivered);
  EXPECT_EQ(state(after), NudgeState::delivered);
}

}  // namespace
}  // namespace townpost
