#include "contract/delivery_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class StartingTest : public DeliveryTest {
 protected:
  void starts_by(const std::string& who, const std::string& command, StartOn when = StartOn::nudge,
                 const std::string& resume = "") {
    must(registry().add_agent(
        {.address = address_of(who), .start_command = command, .resume_command = resume, .start_on = when}, {}));
  }
};
ON_EVERY_STORE(StartingTest);

TEST_P(StartingTest, StartsAnExitedAgentForWhatWaitsForIt) {
  starts_by("nux", "start nux");
  becomes("nux", AgentState::exited);
  watch(minutes(5));
  EXPECT_EQ(starter().started, Strings()) << "nothing waits";
  nudge("overseer", "nux", "hello");
  round();
  EXPECT_EQ(starter().started, Strings{address_of("nux") + ": start nux"});
}

TEST_P(StartingTest, ResumesTheSessionThatThereWas) {
  starts_by("nux", "start nux", StartOn::nudge, "resume {session}");
  set_presence("nux", [&](Presence& presence) {
    presence.state = AgentState::exited;
    presence.incarnation = "s1";
  });
  nudge("overseer", "nux", "hello");
  round();
  EXPECT_EQ(starter().started, Strings{address_of("nux") + ": resume {session} (s1)"}) << "beside the command";
}

TEST_P(StartingTest, StartsAnewWhereTheSessionsNameIsNone) {
  starts_by("nux", "start nux", StartOn::nudge, "resume {session}");
  for (const auto* strange : {"x; touch pwned", "$(id)", "a b", "", "tmux:%5"}) {
    set_presence("nux", [&](Presence& presence) {
      presence.state = AgentState::exited;
      presence.incarnation = strange;
    });
    starter().started.clear();
    nudge("overseer", "nux", cat("hello ", strange));
    clock().advance(hours(2));
    round();
    EXPECT_EQ(starter().started, Strings{address_of("nux") + ": start nux"}) << strange;
  }
}

TEST_P(StartingTest, StartsOnceForTwoThatWantItAtOnce) {  // K034
  starts_by("nux", "start nux");
  nudge("overseer", "nux", "hello");
  Watcher other(town(), doors(), starter());
  round();
  must(other.round());
  EXPECT_EQ(starter().started.size(), 1U);
}

TEST_P(StartingTest, StartsAtMostThreeTimesAnHour) {
  starts_by("nux", "start nux");
  const auto sent = nudge("overseer", "nux", "hello");
  watch(minutes(50));
  EXPECT_EQ(starter().started.size(), 3U) << "it ends at once, again and again";
  EXPECT_EQ(state(sent), NudgeState::queued);
  watch(minutes(60));
  EXPECT_EQ(starter().started.size(), 6U);
}

TEST_P(StartingTest, StartsNobodyForMailThatOnlyWantsNudges) {
  starts_by("nux", "start nux");
  becomes("nux", AgentState::exited);
  round();
  send("overseer", "nux");
  watch(minutes(1));
  EXPECT_EQ(starter().started.size(), 0U);
  starts_by("nux", "start nux", StartOn::mail);
  round();
  EXPECT_EQ(starter().started.size(), 1U);
}

TEST_P(StartingTest, StartsNobodyWhoIsThereOrWasStoppedOrMustWait) {
  for (const auto state : {AgentState::idle, AgentState::running, AgentState::blocked, AgentState::dead}) {
    starts_by("nux", "start nux");
    becomes("nux", state);
    nudge("overseer", "nux");
    round();
    EXPECT_EQ(starter().started.size(), 0U) << name(state);
  }
  starts_by("slit", "start slit");
  becomes("slit", AgentState::exited);
  nudge("overseer", "slit", "later", [](NudgeDraft& draft) { draft.delay = hours(1); });
  nudge("overseer", "slit", "whenever", with_mode(NudgeMode::queue));
  round();
  EXPECT_EQ(starter().started.size(), 0U);
}

TEST_P(StartingTest, StartsNobodyWhoIsHeld) {
  starts_by("nux", "start nux");
  becomes("nux", AgentState::exited);
  must(Cares(town()).hold("nux", hours(8), caller("overseer")));
  nudge("overseer", "nux", "hello");
  watch(minutes(5));
  EXPECT_EQ(starter().started.size(), 0U);
}

}  // namespace
}  // namespace townpost
