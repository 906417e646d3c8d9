#include "tmux/lab.h"

namespace townpost {
namespace {

/// What must never be touched.
class HandsOff : public TmuxLab {};

TEST_F(HandsOff, AHalfTypedLineStaysExactlyAsItWas) {
  const auto pane = start_harness("agent");
  tmux({"send-keys", "-t", pane, "-l", "half a li"});
  wait_for(pane, "half a li");
  const auto before = screen(pane);
  EXPECT_EQ(text(session("tmux:agent").look()), "typing: there is a draft in the input line");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "not_started: there is a draft in the input line");
  EXPECT_EQ(screen(pane), before);
  tmux({"send-keys", "-t", pane, "-l", "ne"});
  tmux({"send-keys", "-t", pane, "Enter"});
  wait_for(pane, "Answer 1");
  EXPECT_EQ(prompts("agent"), Words{"half a line"});
}

TEST_F(HandsOff, AHalfTypedLineStaysWhileTheAgentWorksToo) {
  const auto pane = start_harness("agent", {"busy"});
  tmux({"send-keys", "-t", pane, "-l", "half a li"});
  wait_for(pane, "half a li");
  const auto before = screen(pane);
  EXPECT_EQ(inject("tmux:agent", "deploy is red", Injection::At::any).outcome, Injected::Outcome::not_started);
  EXPECT_EQ(screen(pane), before);
}

TEST_F(HandsOff, NothingIsTypedIntoADialog) {
  const auto pane = start_harness("agent", {"dialog"});
  const auto before = screen(pane);
  EXPECT_EQ(text(session("tmux:agent").look()), "blocked");
  for (const auto at : {Injection::At::idle, Injection::At::any})
    EXPECT_EQ(text(inject("tmux:agent", "deploy is red", at)), "not_started: a dialog or selection list is open");
  EXPECT_EQ(screen(pane), before);
  EXPECT_EQ(stray_keys("agent"), Words{});
}

TEST_F(HandsOff, ADialogThatOpensWhileWeTypeIsNotAnswered) {
  const auto pane = start_harness("agent", {"dialog-on-paste"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")),
            "failed: a dialog opened while we typed; nothing was submitted");
  EXPECT_EQ(stray_keys("agent"), Words{"deploy is red"}) << "no key but the text itself";
}

TEST_F(HandsOff, AWorkingAgentIsNotInterrupted) {
  const auto pane = start_harness("agent", {"busy"});
  EXPECT_EQ(text(session("tmux:agent").look()), "busy");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "not_started: it works");
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(HandsOff, AWorkingAgentIsGivenWhatCannotWait) {
  start_harness("agent", {"busy"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red", Injection::At::any)), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(HandsOff, AScreenThatIsOnlyDrawnAnewIsTypedIntoOnceItRests) {
  waits_.rest_looks = 1000;
  start_harness("agent", {"moves=60"});
  EXPECT_EQ(text(session("tmux:agent").look()), "idle");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
}

TEST_F(HandsOff, AScreenThatNeverRestsIsLeftAlone) {
  start_harness("agent", {"moves=1000000"});
  EXPECT_EQ(text(session("tmux:agent").look()), "busy");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "not_started: its screen is moving");
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(HandsOff, AProgramThatIsNotAHarnessIsNotTypedInto) {
  waits_.ready_looks = 2;
  const auto pane = start("agent", {"cat"});
  EXPECT_EQ(text(session("tmux:agent").look()), "starting");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "not_started: its prompt is not visible");
  EXPECT_EQ(screen(pane).find("deploy"), std::string::npos);
}

}  // namespace
}  // namespace townpost
