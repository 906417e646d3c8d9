// A harness that shows a list before its first turn: its hooks say nothing of that.
#include "delivery/first_screen.h"

#include "contract/delivery_fixture.h"
#include "delivery/claude/claude_hook.h"
#include "post/town/presences.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class FirstScreenTest : public DeliveryTest {
 protected:
  FirstScreenTest() {
    pane().look = {SessionState::blocked, "a dialog or selection list is open", "Try the new renderer?"};
    hook("SessionStart", "startup");
  }
  FakeAgent& pane() { return doors().agents["tmux:%5"]; }
  void hook(const std::string& name, const std::string& source = "", const std::string& notification = "") {
    const PresenceFiles files(town().folder);
    files.write(presence_after(files.read(id_of("nux")), id_of("nux"),
                               {.name = name, .session = "s1", .source = source, .notification = notification},
                               {.host = host_, .process = "", .beyond = {}, .session = "tmux:%5"}, clock().now()));
  }
  std::string host_;

  std::string detail() { return PresenceFiles(town().folder).read(id_of("nux"))->detail; }
};
ON_EVERY_STORE(FirstScreenTest);

TEST_P(FirstScreenTest, WithAListMeansBlockedAndAPersonIsTold) {
  EXPECT_EQ(state_of("nux"), AgentState::idle) << "so its hook said";
  watch(seconds(10));
  EXPECT_EQ(state_of("nux"), AgentState::blocked);
  EXPECT_EQ(detail(), "a dialog or selection list is open: \"Try the new renderer?\"");
  watch(minutes(2));
  EXPECT_EQ(subjects("overseer"), std::vector<std::string>{cat(address_of("nux"), " is blocked and waits for you")});
}

TEST_P(FirstScreenTest, IsNotTypedAtAndWhatWaitsComesWhenTheListIsGone) {
  const auto sent = nudge("overseer", "nux", "hello");
  watch(minutes(1));
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_TRUE(pane().injected.empty());
  pane().look = {SessionState::idle, ""};
  watch(minutes(1));
  EXPECT_NE(state_of("nux"), AgentState::blocked);
  EXPECT_FALSE(pane().injected.empty());
}

TEST_P(FirstScreenTest, IsLookedAtBeforeSomethingIsDelivered) {
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_NE(deliver("nux").note.find("Try the new renderer?"), std::string::npos);
  EXPECT_EQ(state_of("nux"), AgentState::blocked);
  EXPECT_EQ(state(sent), NudgeState::queued);
}

TEST_P(FirstScreenTest, KeepsItsListThoughItsHookSaysThatNobodyTypes) {
  nudge("overseer", "nux", "hello");
  deliver("nux");
  hook("Notification", "", "idle_prompt");
  EXPECT_EQ(state_of("nux"), AgentState::blocked);
  EXPECT_NE(detail().find("Try the new renderer?"), std::string::npos);
  hook("UserPromptSubmit");
  EXPECT_EQ(state_of("nux"), AgentState::running);
  EXPECT_EQ(detail(), "");
}

TEST_P(FirstScreenTest, IsLookedAtSeldomAndAfterAPromptNoMore) {
  const auto look = [&] {
    const auto known = PresenceFiles(town().folder).read(id_of("nux")).value();
    look_at_first_screen(town(), doors(), agent_of("nux"), known, this_host());
    return pane().looks;
  };
  EXPECT_EQ(look(), 1);
  EXPECT_EQ(look(), 1) << "somebody looked just now";
  clock().advance(seconds(30));
  EXPECT_EQ(look(), 2);
  pane().look = {SessionState::idle, ""};
  clock().advance(seconds(30));
  EXPECT_EQ(look(), 3);
  clock().advance(seconds(30));
  EXPECT_EQ(look(), 3) << "its prompt was seen: no list comes by itself any more";
}

TEST_P(FirstScreenTest, OfAnotherHostIsNotLookedAt) {
  auto known = PresenceFiles(town().folder).read(id_of("nux")).value();
  known.host = this_host();
  EXPECT_EQ(look_at_first_screen(town(), doors(), agent_of("nux"), known, "elsewhere"), std::nullopt);
  EXPECT_EQ(pane().looks, 0);
}

TEST_P(FirstScreenTest, OfAProgramThatOnlyItsSupervisorHasToldOfIsLookedAtInItsPane) {  // a question of trust
  set_presence("slit", [&](Presence& presence) {
    presence = {.agent = id_of("slit"),
                .state = AgentState::starting,
                .incarnation = "p1",
                .harness = Harness::terminal(),
                .host = this_host(),
                .started_at = clock().now(),
                .since = clock().now()};
  });
  Agent slit = agent_of("slit");
  slit.session = "tmux:%6";
  doors().agents["tmux:%6"].look = {SessionState::blocked, "a dialog", "Do you trust this folder?"};
  const auto seen =
      look_at_first_screen(town(), doors(), slit, *PresenceFiles(town().folder).read(slit.id), this_host());
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, AgentState::blocked);
  EXPECT_EQ(seen->detail, "a dialog: \"Do you trust this folder?\"");
  clock().advance(seconds(10));
  doors().agents["tmux:%6"].look = {SessionState::idle, ""};
  EXPECT_EQ(look_at_first_screen(town(), doors(), slit, *seen, this_host())->state, AgentState::starting);
}

TEST_P(FirstScreenTest, OfSomebodyUnknownIsToldAndNotNoted) {
  doors().agents["tmux:%7"].look = {SessionState::blocked, "a dialog", "Which theme?"};
  const auto seen = seen_at_a_list(doors(), agent_of("slit"), Presence{}, "tmux:%7");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, AgentState::blocked);
  EXPECT_EQ(PresenceFiles(town().folder).read(id_of("slit")), std::nullopt);
  doors().agents["tmux:%7"].look = {SessionState::idle, ""};
  EXPECT_EQ(seen_at_a_list(doors(), agent_of("slit"), Presence{}, "tmux:%7"), std::nullopt);
}

}  // namespace
}  // namespace townpost
