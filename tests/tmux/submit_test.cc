#include "base/text.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

class Submitting : public TmuxLab {
 protected:
  static Injection nudge(const std::string& text) { return {.text = text, .ids = {}, .at = Injection::At::idle}; }
};

TEST_F(Submitting, LeavesCopyModeFirst) {  // G245
  const auto pane = start_harness("agent");
  tmux({"copy-mode", "-t", pane});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
  EXPECT_EQ(tmux({"display-message", "-p", "-t", pane, "#{pane_in_mode}"}), "0");
}

TEST_F(Submitting, LeavesCopyModeAloneWhereNothingIsTyped) {
  const auto pane = start_harness("agent", {"busy"});
  tmux({"copy-mode", "-t", pane});
  EXPECT_EQ(inject("tmux:agent", "deploy is red").outcome, Injected::Outcome::not_started);
  EXPECT_EQ(tmux({"display-message", "-p", "-t", pane, "#{pane_in_mode}"}), "1");
}

TEST_F(Submitting, WaitsForASessionThatStarts) {
  start_harness("agent", {"slow-start"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(Submitting, PressesEnterAgainWhenTheFirstWasNotTaken) {
  waits_.looks = 10;
  start_harness("agent", {"ignores-enters=1"});
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(Submitting, TakesTheTextBackWhenEnterIsNeverTaken) {
  waits_.looks = 10;
  const auto pane = start_harness("agent", {"ignores-enters=1000"});
  const auto before = screen(pane);
  auto agent = session("tmux:agent");
  for (const auto* given : {"deploy is red", "two\nlines", "four\nlines\n\nof them"}) {
    EXPECT_EQ(text(agent.inject(nudge(given))), "failed: the session did not take Enter; it was taken back") << given;
    EXPECT_EQ(screen(pane), before) << given;
  }
  EXPECT_EQ(prompts("agent"), Words{});
  EXPECT_EQ(stray_keys("agent"), Words{}) << "Escape would cancel the turn";
}

TEST_F(Submitting, TakesALongTextBackToo) {
  waits_.looks = 20;
  const auto pane = start_harness("agent", {"ignores-enters=1000"});
  const auto before = screen(pane);
  std::string given;
  for (int i = 0; i < 200; ++i) given += cat("line ", i, "\n");
  EXPECT_EQ(text(inject("tmux:agent", given)), "failed: the session did not take Enter; it was taken back");
  EXPECT_EQ(screen(pane), before);
}

TEST_F(Submitting, SubmitsItsOwnTriggerThatWasLeftInTheInputLine) {
  place_.own_triggers = {"Check your nudges: gt nudge drain"};
  const auto pane = start_harness("agent");
  tmux({"send-keys", "-t", pane, "-l", "Check your nudges: gt nudge drain"});
  wait_for(pane, "gt nudge drain");
  EXPECT_EQ(text(session("tmux:agent").look()), "idle");
  EXPECT_EQ(text(inject("tmux:agent", "Check your nudges: gt nudge drain")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"Check your nudges: gt nudge drain"});
}

TEST_F(Submitting, SubmitsTheSameTextThatAnEarlierAttemptLeft) {
  const auto pane = start_harness("agent");
  tmux({"send-keys", "-t", pane, "-l", "deploy is red (hq-n-1a2b3c)"});
  wait_for(pane, "hq-n-1a2b3c");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red (hq-n-1a2b3c)")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red (hq-n-1a2b3c)"});
}

TEST_F(Submitting, PutsAnotherTextInThePlaceOfItsOwnTrigger) {
  place_.own_triggers = {"Check your nudges: gt nudge drain"};
  const auto pane = start_harness("agent");
  tmux({"send-keys", "-t", pane, "-l", "Check your nudges: gt nudge drain"});
  wait_for(pane, "gt nudge drain");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"deploy is red"});
}

TEST_F(Submitting, NeverSendsEscapeToAnyHarness) {  // G247
  waits_.looks = 5;
  for (const auto* harness : {"claude", "copilot"}) {
    start_harness(harness, {"ignores-enters=1000"});
    EXPECT_EQ(session(cat("tmux:", harness), harness).inject(nudge("x")).outcome, Injected::Outcome::failed);
    EXPECT_EQ(stray_keys(harness), Words{}) << harness;
  }
}

TEST_F(Submitting, RefusesATextOfNothing) {
  start_harness("agent");
  EXPECT_EQ(text(inject("tmux:agent", "\x1b\n")), "failed: there is nothing in it that could be typed");
}

}  // namespace
}  // namespace townpost
