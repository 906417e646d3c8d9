// What is told of nudges: to whom, for how long, and which rule holds them.
#include "contract/nudge_fixture.h"
#include "post/mail/explain.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

class NudgeReadersTest : public NudgeTest {
 protected:
  std::string in_the_way(const Nudge& nudge) { return join(must(nudges().explain(nudge.id)).in_the_way, "; "); }
  std::int64_t held(const std::string& who) {
    for (const auto& one : must(Cares(town()).status()).agents)
      if (one.agent.id == id_of(who)) return one.held;
    return -1;
  }
};
ON_EVERY_STORE(NudgeReadersTest);

TEST_P(NudgeReadersTest, AreItsSenderItsTargetAndPeople) {
  const Nudge one = nudge("max", "nux", "between us");
  for (const auto* who : {"max", "nux", "overseer"}) {
    EXPECT_EQ(must(nudges().show(one.id, caller(who))).text, "between us") << who;
    EXPECT_EQ(must(nudges().list({}, caller(who))).at(0).text, "between us") << who;
  }
  EXPECT_EQ(error_of(nudges().show(one.id, caller("slit"))).code, Code::forbidden);
  EXPECT_EQ(error_of(nudges().explain(one.id, caller("slit"))).code, Code::forbidden);
  EXPECT_EQ(must(nudges().list({}, caller("slit"))).at(0).text, "") << "that it waits is no secret";
}

TEST_P(NudgeReadersTest, AreToldNothingOfWhatEndedAWeekAgo) {
  const Nudge one = nudge("max", "nux");
  must(nudges().drop(one.id, "not needed", caller("max")));
  sleep(hours(7 * 24) - minutes(1));
  EXPECT_EQ(state(one), NudgeState::dropped);
  sleep(minutes(2));  // though nobody cleared it away
  EXPECT_EQ(error_of(nudges().show(one.id)).code, Code::not_found);
  EXPECT_TRUE(must(nudges().list({})).empty());
}

TEST_P(NudgeReadersTest, LearnThatAgentsWokeItJustNow) {
  starts("nux");
  nudge("max", "nux", "first");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"first"});
  const Nudge second = nudge("max", "nux", "second");
  EXPECT_TRUE(says(in_the_way(second), "L4")) << in_the_way(second);
  EXPECT_EQ(held("nux"), 1);
  EXPECT_TRUE(says(join(must(why(town(), "nux")).reasons, "; "), "L4"));
  const auto mail = send("slit", "nux", "and mail");
  EXPECT_EQ(mail.recipients.at(0).state, ReachState::held);
  EXPECT_TRUE(says(mail.recipients.at(0).reason, "L4")) << mail.recipients.at(0).reason;
  tick(seconds(31));
  EXPECT_FALSE(says(in_the_way(second), "L4")) << in_the_way(second);
  EXPECT_EQ(held("nux"), 0);
}

TEST_P(NudgeReadersTest, LearnNothingOfThatRuleFromAPersonsWord) {
  starts("nux");
  nudge("max", "nux", "first");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"first"});
  const Nudge person = nudge("overseer", "nux", "mine");
  EXPECT_FALSE(says(in_the_way(person), "L4")) << in_the_way(person);
}

TEST_P(NudgeReadersTest, SeeHeldMailCounted) {
  for (int i = 0; i < 13; ++i) send("slit", "nux");
  EXPECT_EQ(held("nux"), 3) << "rule L2";
}

TEST_P(NudgeReadersTest, SeeEveryStartedInjectionCounted) {
  starts("nux");
  const Nudge one = nudge("overseer", "nux");
  EXPECT_EQ(now(one).attempts, 0);
  show("nux", Boundary::idle);
  EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_EQ(now(one).attempts, 1);
  const Nudge two = nudge("overseer", "nux");
  must(nudges().handed(take("nux", Boundary::idle), "a hook"));
  starts("nux", "session 2");
  EXPECT_EQ(now(two).attempts, 1) << "the first session did not show it";
  show("nux", Boundary::start);
  EXPECT_EQ(now(two).attempts, 2);
}

TEST_P(NudgeReadersTest, AreNotTheOnesToEndAPersonsNudgeByItsKey) {
  const auto keyed = [](NudgeDraft& draft) { draft.coalesce_key = "k"; };
  const Nudge person = nudge("overseer", "nux", "from a person", keyed);
  const Nudge agent = nudge("max", "nux", "from an agent", keyed);
  EXPECT_EQ(state(person), NudgeState::queued);
  nudge("overseer", "nux", "newer", keyed);
  EXPECT_EQ(state(agent), NudgeState::superseded) << "people may replace what agents say";
}

TEST_P(NudgeReadersTest, GiveAReasonForDroppingIt) {
  const Nudge one = nudge("max", "nux");
  EXPECT_EQ(error_of(nudges().drop(one.id, " ", caller("max"))).code, Code::usage);
}

TEST_P(NudgeReadersTest, WhoArePeopleTryAtOnceWhatARuleOrADelayHolds) {
  const Nudge later = nudge("max", "nux", "later", [](NudgeDraft& draft) { draft.delay = hours(1); });
  starts("nux");
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  must(nudges().retry(later.id, caller("overseer")));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"later"});
}

TEST_P(NudgeReadersTest, OfAnUrgentOneForTheMayorAreNotTheMayor) {
  const Nudge one = nudge("max", "mayor/", "quick", urgently);
  tick(minutes(11), minutes(1));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(notices("mayor/").size(), 0U);
  EXPECT_EQ(notices("overseer").size(), 1U);
}

TEST_P(NudgeReadersTest, AreToldWhomItWasFor) {
  nudge("max", "nux", "gone soon", with_life(minutes(1)));
  tick(minutes(2), minutes(1));
  const auto bounces = inbox("max");
  ASSERT_EQ(bounces.size(), 1U);
  EXPECT_TRUE(says(bounces[0].message.body, "for beads/polecats/nux")) << bounces[0].message.body;
}

TEST_P(NudgeReadersTest, OfAnAgentThatWasRemovedSeeItDropped) {
  const Nudge one = nudge("max", "nux");
  must(registry().remove_agent("nux"));
  EXPECT_EQ(state(one), NudgeState::dropped);
}

TEST_P(NudgeReadersTest, SayWhatAnAgentWorksOn) {
  Cares cares(town());
  EXPECT_EQ(error_of(cares.set_hook("nux", "two words", caller("nux"))).code, Code::usage);
  for (const auto* who : {"nux", "mayor/", "beads/witness", "overseer"})
    EXPECT_EQ(must(cares.set_hook("nux", "be-1", caller(who))).holds.bead(), "be-1") << who;
}

}  // namespace
}  // namespace townpost
