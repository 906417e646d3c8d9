#include "post/nudge/cares.h"

#include <cstdint>
#include <stdexcept>

#include "base/child.h"
#include "contract/nudge_fixture.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class CaresTest : public NudgeTest {
 protected:
  Cares cares() { return Cares(town()); }
  Caller person() { return caller("overseer"); }
  Strings order() {
    Strings out;
    for (const auto& one : must(cares().status()).agents) out.push_back(one.agent.address.str());
    return out;
  }
  Cares::AgentStatus status_of(const std::string& who) {
    for (const auto& one : must(cares().status()).agents)
      if (one.agent.id == id_of(who)) return one;
    throw std::runtime_error(who + " is not in the status");
  }
  void is(const std::string& who, AgentState state) {
    PresenceFiles(town().folder).write({.agent = id_of(who), .state = state, .incarnation = "session 1"});
  }
};
ON_EVERY_STORE(CaresTest);

TEST_P(CaresTest, AnAgentDecidesForItselfWhetherItIsDisturbed) {
  const Instant start = clock().now();
  EXPECT_EQ(must(cares().disturb_not(std::nullopt, hours(1), caller("nux"))).dnd_until, start + hours(1));
  EXPECT_TRUE(must(cares().care_of(std::nullopt, caller("nux"))).dnd(start));
  EXPECT_TRUE(must(cares().care_of("nux", caller("slit"))).dnd(start)) << "everybody may know";
  EXPECT_FALSE(must(cares().care_of("slit", caller("nux"))).dnd(start));
  must(cares().disturb_again("nux", caller("nux")));
  EXPECT_FALSE(must(cares().care_of("nux", caller("nux"))).dnd(start));
  must(cares().disturb_not(std::nullopt, std::nullopt, caller("nux")));
  clock().advance(hours(24 * 365));
  EXPECT_TRUE(must(cares().care_of("nux", caller("nux"))).dnd(clock().now())) << "until it is turned off";
}

TEST_P(CaresTest, AHoldThatIsMadeLongerBeganWhenItBegan) {
  const Instant start = clock().now();
  must(cares().hold("nux", hours(1), person()));
  clock().advance(minutes(30));
  must(cares().hold("nux", hours(8), person()));
  const Care care = must(cares().care_of("nux", person()));
  EXPECT_EQ(care.held_since, start);
  EXPECT_EQ(care.hold_until, clock().now() + hours(8));
}

TEST_P(CaresTest, ASecondHoldDoesNotForgetTheFirst) {
  const Nudge one = nudge("max", "nux", "patient", with_life(minutes(30)));
  must(cares().hold("nux", hours(1), person()));
  tick(hours(1) - Millis(1), minutes(1));
  clock().advance(Millis(1));
  must(cares().hold("nux", hours(1), person()));  // before anybody noted that the first is over
  tick(hours(1), minutes(1));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{"patient"});
}

TEST_P(CaresTest, AReleaseRingsThoseWhoWaited) {
  nudge("max", "nux");
  must(cares().hold(std::nullopt, std::nullopt, person()));
  const auto before = bell().rings(id_of("nux"));
  must(cares().release(std::nullopt, person()));
  EXPECT_GT(bell().rings(id_of("nux")), before);
  must(cares().hold("nux", std::nullopt, person()));
  const auto held = bell().rings(id_of("nux"));
  must(cares().release("nux", person()));
  EXPECT_GT(bell().rings(id_of("nux")), held);
  EXPECT_FALSE(take("nux", Boundary::idle).empty());
}

TEST_P(CaresTest, ReleasingWhatIsNotHeldIsNoError) {
  must(cares().release("nux", person()));
  must(cares().release(std::nullopt, person()));
  must(cares().lift_quarantine("nux", person()));
}

TEST_P(CaresTest, SomebodyUnknownIsRefused) {
  EXPECT_EQ(error_of(cares().hold("beads/polecats/nobody", hours(1), person())).code, Code::not_found);
  EXPECT_EQ(error_of(cares().care_of("beads/polecats/nobody", person())).code, Code::not_found);
}

TEST_P(CaresTest, ANewBeadBeginsTheLadderOfWarningsAnew) {
  set_care("nux", [](Care& care) {
    care.holds = HeldBead::told("be-1");
    care.warned = 2;
    care.warned_at = AwakeTime{5};
  });
  const Care care = must(cares().set_hook("nux", "be-2", {}));
  EXPECT_EQ(care.holds.bead(), "be-2");
  EXPECT_EQ(care.warned, 0);
  EXPECT_EQ(care.warned_at, std::nullopt);
}

TEST_P(CaresTest, TheStatusNamesThoseFirstWhoNeedAPerson) {
  is("nux", AgentState::running);
  is("slit", AgentState::stalled);
  is("max", AgentState::blocked);
  const Strings found = order();
  ASSERT_GE(found.size(), 3u);
  EXPECT_EQ(Strings(found.begin(), found.begin() + 3),
            (Strings{"beads/crew/max", "beads/polecats/slit", "beads/polecats/nux"}));
  EXPECT_EQ(std::count(found.begin(), found.end(), "overseer"), 0) << "a person is no agent";
}

TEST_P(CaresTest, TheStatusKnowsThatAProcessIsGone) {
  PresenceFiles(town().folder)
      .write({.agent = id_of("nux"), .state = AgentState::running, .host = host_name(), .pid = INT32_MAX});
  EXPECT_EQ(status_of("nux").presence->state, AgentState::exited) << "though nobody watches";
  PresenceFiles(town().folder)
      .write({.agent = id_of("nux"), .state = AgentState::running, .host = "elsewhere", .pid = INT32_MAX});
  EXPECT_EQ(status_of("nux").presence->state, AgentState::running) << "of other hosts nothing is known";
}

TEST_P(CaresTest, TheStatusCounts) {
  starts("nux");
  send("max", "nux");
  show("nux", Boundary::idle);
  for (int i = 0; i < 9; ++i) nudge("max", "nux");
  nudge("max", "nux");  // the eleventh of its minute
  const auto nux = status_of("nux");
  EXPECT_EQ(nux.unread, 1);
  EXPECT_EQ(nux.pending, 10);
  EXPECT_EQ(nux.held, 10) << "it was woken just now; of one the sender sent too many, too";
  EXPECT_EQ(nux.wakes_in_an_hour, 1);
  EXPECT_EQ(nux.presence->state, AgentState::idle);
  EXPECT_EQ(status_of("max").sent_in_an_hour, 11);
  clock().advance(hours(1) + minutes(1));
  EXPECT_EQ(status_of("max").sent_in_an_hour, 0);
  EXPECT_EQ(status_of("nux").wakes_in_an_hour, 0);
}

}  // namespace
}  // namespace townpost
