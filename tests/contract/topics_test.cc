// Rule L5 of typed mail: the same sender about the same topic, while the recipient has not read the earlier one.
#include "contract/nudge_fixture.h"
#include "post/rules/topic_rule.h"

namespace townpost {
namespace {

using std::chrono::hours;

class TopicsTest : public NudgeTest {
 protected:
  TopicsTest() {
    for (const auto* who : {"max", "slit"}) starts(who);
  }
  Receipt tell(std::string_view from, const std::string& to, const std::string& subject = "ALERT: gp-1 stuck") {
    clock().advance(hours(1));  // no other rule holds anything
    return send(from, letter(to, subject));
  }
  /// Whether its only recipient may be woken for it.
  static bool wakes(const Receipt& receipt) { return receipt.recipients.at(0).state != ReachState::held; }
};
ON_EVERY_STORE(TopicsTest);

TEST_P(TopicsTest, AreToldOnceWhileTheyAreUnread) {
  const auto first = tell("beads/witness", "max");
  EXPECT_TRUE(wakes(first));
  const auto woken_by = line("max").size();
  const auto again = tell("beads/witness", "max");
  EXPECT_FALSE(again.duplicate) << "it says something else, so it is stored";
  EXPECT_NE(again.message.id, first.message.id);
  EXPECT_EQ(again.message.thread, first.message.thread);
  EXPECT_FALSE(wakes(again));
  EXPECT_TRUE(again.recipients[0].reason.starts_with("L5: " + first.message.id.str())) << again.recipients[0].reason;
  EXPECT_EQ(copy_of(again.message.id, "max").held_by, "L5");
  ASSERT_EQ(line("max").size(), woken_by);
  EXPECT_EQ(line("max")[0].refs, Strings{first.message.id.str()}) << "nobody is woken again";
  EXPECT_EQ(inbox("max", Shelf::unread).size(), 2u) << "both are there for whoever looks";
  EXPECT_FALSE(wakes(tell("beads/witness", "max"))) << "nor a third time";
}

TEST_P(TopicsTest, AreNewsOnceTheEarlierOneWasRead) {
  const auto first = tell("beads/witness", "max");
  mark(first.message.id, Mark::read, "max");
  const auto again = tell("beads/witness", "max");
  EXPECT_TRUE(wakes(again));
  EXPECT_NE(again.message.thread, first.message.thread);
  mark(again.message.id, Mark::archived, "max");
  EXPECT_TRUE(wakes(tell("beads/witness", "max"))) << "what was put away unread is done with";
}

TEST_P(TopicsTest, AreOtherOnesBySenderRecipientTypeOrText) {
  tell("beads/witness", "max");
  EXPECT_TRUE(wakes(tell("beads/refinery", "max")));
  EXPECT_TRUE(wakes(tell("beads/witness", "slit")));
  EXPECT_TRUE(wakes(tell("beads/witness", "max", "HELP: gp-1 stuck")));
  EXPECT_TRUE(wakes(tell("beads/witness", "max", "ALERT: gp-2 stuck")));
  EXPECT_TRUE(wakes(tell("beads/witness", "max", "gp-1 stuck"))) << "what has no type has no topic";
  EXPECT_FALSE(wakes(tell("beads/witness", "max", "[gp-1] alert: gp-1 stuck"))) << "another spelling of the same";
}

TEST_P(TopicsTest, OfOtherBeadsAreOtherOnes) {
  tell("nux", "max", "[ol-1] DONE at last");
  const auto other = tell("nux", "max", "[ol-2] DONE at last");
  EXPECT_TRUE(wakes(other));
  EXPECT_EQ(other.message.thread, "ol-2");
  EXPECT_TRUE(wakes(tell("nux", "max", "[ol-3] DONE"))) << "without a topic nothing is the same";
  EXPECT_TRUE(wakes(tell("nux", "max", "[ol-3] DONE")));
}

TEST_P(TopicsTest, OfWhichOnlyTheLastStaysAreNews) {
  tell("nux", "max", "[ol-1] PROGRESS parser");
  EXPECT_TRUE(wakes(tell("nux", "max", "[ol-1] PROGRESS parser")));
}

TEST_P(TopicsTest, WakeThoseWhoHaveNothingUnreadAboutIt) {
  const auto first = tell("beads/witness", "max");
  Letter wider = letter("max", "ALERT: gp-1 stuck");
  wider.cc = {"slit"};
  const auto receipt = send("beads/witness", wider);
  EXPECT_EQ(receipt.recipients[0].state, ReachState::held);
  EXPECT_NE(receipt.recipients[1].state, ReachState::held);
  EXPECT_NE(receipt.message.thread, first.message.thread) << "slit has no part in the earlier conversation";
}

TEST_P(TopicsTest, OfAnAnswerOrInAThreadOfItsOwnKeepTheirThread) {
  const auto first = tell("max", "slit");
  Letter apart = letter("slit", "ALERT: gp-1 stuck");
  apart.thread = "apart";
  EXPECT_EQ(send("max", apart).message.thread, "apart");
  Letter answer = letter("slit", "ALERT: gp-1 stuck");
  answer.reply_to = send("slit", "max", "what now?").message.id;
  const auto answered = send("max", answer);
  EXPECT_TRUE(wakes(answered));
  EXPECT_NE(answered.message.thread, first.message.thread);
}

TEST_P(TopicsTest, OfPeopleAndWithoutLimitsAreAlwaysNews) {
  tell("overseer", "max");
  EXPECT_TRUE(wakes(tell("overseer", "max")));
  limits().duplicate_minutes = 0;
  tell("beads/witness", "max");
  EXPECT_TRUE(wakes(tell("beads/witness", "max"))) << "L5 is off";
}

}  // namespace
}  // namespace townpost
