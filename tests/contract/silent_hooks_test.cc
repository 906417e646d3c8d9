// A session with hooks that fall silent: its hooks are called once by a few typed words, and never a second time.
#include "contract/delivery_fixture.h"
#include "delivery/claude/claude_hook.h"
#include "post/nudge/reach.h"
#include "post/town/presences.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class SilentHooksTest : public DeliveryTest {
 protected:
  SilentHooksTest() {
    pane();
    a_hook_speaks();
  }
  /// The session has told that it is idle, as its hooks do; nobody waits beside it.
  void a_hook_speaks(Millis idle_for = minutes(1)) {
    set_presence("nux", [&](Presence& presence) {
      presence = {.agent = id_of("nux"),
                  .state = AgentState::idle,
                  .incarnation = "s1",
                  .harness = Harness::of_word("claude"),
                  .session = "tmux:%5",
                  .host = presence.host,
                  .started_at = clock().now(),
                  .since = clock().now() - idle_for,
                  .last_activity = clock().now()};
    });
  }
  FakeAgent& pane() { return doors().agents["tmux:%5"]; }
  /// How often its hooks were called: each time is a whole turn.
  int triggers() {
    return static_cast<int>(std::count_if(pane().injected.begin(), pane().injected.end(),
                                          [](const Injection& one) { return one.text == kTrigger; }));
  }
  Reach reach() {
    const auto nux = agent_of("nux");
    const auto facts = reading(store(), [&](Ledger& ledger) { return must(reach_facts(town(), ledger, nux.id)); });
    return HostLook(town()).reach(nux, facts);
  }
  AgentState seen_state() {
    return seen_presence(town(), {id_of("nux"), PresenceFiles(town().folder).read(id_of("nux")), false})->state;
  }
};
ON_EVERY_STORE(SilentHooksTest);

TEST_P(SilentHooksTest, AreCalledOnceAndThenTheNudgeIsTypedWhole) {
  const auto sent = nudge("overseer", "nux", "hello");
  watch(minutes(30));
  EXPECT_EQ(triggers(), 1) << "each is a model's turn for nothing";
  ASSERT_EQ(pane().injected.size(), 2U);
  EXPECT_NE(pane().injected[1].text.find("hello"), std::string::npos);
  EXPECT_EQ(state(sent), NudgeState::delivered);
  EXPECT_EQ(now(sent).attempts, 2) << "the call that nobody answered was one";
}

TEST_P(SilentHooksTest, AreNotCalledForWhatComesLater) {
  nudge("overseer", "nux", "first");
  watch(minutes(1));
  for (int i = 0; i < 5; ++i) {
    const auto later = nudge("overseer", "nux", cat("number ", i));
    watch(minutes(1));
    EXPECT_EQ(state(later), NudgeState::delivered) << i;
  }
  send("overseer", "nux", "and mail");
  watch(minutes(1));
  EXPECT_NE(pane().injected.back().text.find("and mail"), std::string::npos);
  EXPECT_EQ(triggers(), 1);
}

TEST_P(SilentHooksTest, MakeTheAgentDeafUntilOneSpeaks) {
  nudge("overseer", "nux", "hello");
  deliver("nux");
  EXPECT_EQ(triggers(), 1);
  EXPECT_EQ(seen_state(), AgentState::idle) << "they have a moment to answer";
  EXPECT_TRUE(deliver("nux").look_again_at.has_value()) << "somebody looks whether they did";
  EXPECT_EQ(triggers(), 1);
  clock().advance(kAnswerTime);
  EXPECT_EQ(seen_state(), AgentState::deaf) << "though nobody has looked yet";
  EXPECT_NE(join(reach().in_the_way, "; ").find("it is deaf"), std::string::npos) << join(reach().in_the_way, "; ");
  deliver("nux");
  EXPECT_EQ(state_of("nux"), AgentState::deaf);
  watch(minutes(5));
  EXPECT_EQ(state_of("nux"), AgentState::deaf) << "what its screen shows changes nothing";
  a_hook_speaks();
  EXPECT_EQ(seen_state(), AgentState::idle);
  nudge("overseer", "nux", "once more");
  deliver("nux");
  EXPECT_EQ(triggers(), 2) << "it has hooks again";
}

TEST_P(SilentHooksTest, ThatAnswerInTimeCostNothing) {
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  clock().advance(seconds(1));
  a_hook_speaks();
  must(nudges().delivered(must(nudges().take(id_of("nux"), "s1", Boundary::prompt)), "the hook"));
  EXPECT_EQ(now(sent).attempts, 1);
  watch(minutes(5));
  EXPECT_EQ(triggers(), 1);
  EXPECT_EQ(state_of("nux"), AgentState::idle);
}

TEST_P(SilentHooksTest, ThatSpeakButLeaveTheNudgeAreNotCalledForItAgain) {
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  a_hook_speaks();
  watch(minutes(5));
  EXPECT_EQ(triggers(), 1);
  EXPECT_EQ(state(sent), NudgeState::delivered) << "typed whole";
}

TEST_P(SilentHooksTest, ThatSpeakAndNeverCarryCostOneEmptyTurnInAll) {
  const auto speak = [&] {
    auto noted = *PresenceFiles(town().folder).read(id_of("nux"));
    set_presence("nux", [&](Presence& presence) {
      presence = presence_after(noted, id_of("nux"), {.name = "Stop", .session = "s1"},
                                {.host = noted.host, .session = noted.session}, clock().now() - minutes(1));
    });
  };
  for (int i = 0; i < 5; ++i) {
    const auto sent = nudge("overseer", "nux", cat("number ", i));
    for (int looks = 0; looks < 3; ++looks) {
      deliver("nux");
      speak();
      clock().advance(minutes(1));
    }
    EXPECT_EQ(state(sent), NudgeState::delivered) << i;
    send("overseer", "nux", cat("mail ", i));
    deliver("nux");
    speak();
    clock().advance(minutes(1));
  }
  EXPECT_EQ(triggers(), 1) << "each is a model's turn for nothing";
  a_hook_speaks();  // a new session, which may have others
  nudge("overseer", "nux", "once more");
  deliver("nux");
  EXPECT_EQ(triggers(), 2);
}

TEST_P(SilentHooksTest, AreNotCalledWhileTheWaitingHookMayStillBeStarting) {
  a_hook_speaks(Millis(0));
  const auto sent = nudge("overseer", "nux", "hello");
  const auto report = deliver("nux");
  EXPECT_EQ(triggers(), 0) << "it would be a turn for nothing if that one comes";
  EXPECT_TRUE(report.soon);
  ASSERT_TRUE(report.look_again_at.has_value());
  EXPECT_EQ(state(sent), NudgeState::queued);
  clock().set(*report.look_again_at);
  deliver("nux");
  EXPECT_EQ(triggers(), 1);
}

TEST_P(SilentHooksTest, OfATerminalThatTookNothingWereNotCalled) {
  pane().takes = Injected::Outcome::not_started;
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  EXPECT_EQ(PresenceFiles(town().folder).read(id_of("nux"))->triggered_at, Instant{});
  EXPECT_EQ(now(sent).attempts, 0);
  watch(minutes(1));
  EXPECT_EQ(state_of("nux"), AgentState::idle);
}

TEST_P(SilentHooksTest, MayHaveBeenCalledWhereThatCouldNotBeSeen) {
  pane().takes = Injected::Outcome::failed;
  nudge("overseer", "nux", "hello");
  deliver("nux");
  clock().advance(seconds(3));
  deliver("nux");
  EXPECT_NE(PresenceFiles(town().folder).read(id_of("nux"))->triggered_at, Instant{});
  watch(minutes(1));
  EXPECT_EQ(state_of("nux"), AgentState::deaf);
}

}  // namespace
}  // namespace townpost
