// Claude Code in a terminal, with our hooks in its settings: woken while it waits at its prompt.
#include "agents/claude_pane.h"
#include "agents/claude_town.h"
#include "base/text.h"

namespace townpost {
namespace {

class IdleClaude : public ClaudeOfEachVersion {
 protected:
  IdleClaude() { install_hooks(); }
  ClaudePane open() const { return ClaudePane(stage, {}, "claude", as_coder()); }
  /// Fails the test unless the waiting hook brought it.
  void expect_woken_by_hook(const std::string& id) const {
    const auto history = to_line(coder.gt({"nudge", "explain", id}));
    EXPECT_NE(history.find("the waiting hook of Claude Code woke the session"), std::string::npos) << history;
  }
  /// A prompt and its answer.
  void talk(const ClaudePane& claude, const std::string& words) const {
    claude.prompt(words);
    stage.await_told(words);
    coder.await_state("idle");
    claude.await_idle();
  }
};
WITH_EACH_CLAUDE(IdleClaude);

TEST_P(IdleClaude, IsWokenAfterItsStartWithoutAKeystroke) {
  const auto claude = open();
  coder.await_state("idle");  // its other hook for the start has ended
  await_waiter();
  const auto id = nudge("wake up");
  expect_delivered_once(id);
  expect_woken_by_hook(id);
}

TEST_P(IdleClaude, IsWokenAfterATurnWithoutAKeystroke) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  const auto id = nudge("wake up");
  coder.await_delivered(id);
  coder.await_state("idle");
  expect_delivered_once(id);
  expect_woken_by_hook(id);
  const auto again = nudge("and once more");
  coder.await_delivered(again);
  expect_delivered_once(again);
  expect_woken_by_hook(again);
}

TEST_P(IdleClaude, KeepsTheHalfLineThatAPersonTyped) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  claude.type("half a line, and");
  claude.await_screen("half a line, and");
  const auto id = nudge("wake up");
  coder.await_delivered(id);
  coder.await_state("idle");
  EXPECT_EQ(claude.input_line(), "half a line, and");
  expect_delivered_once(id);
  expect_woken_by_hook(id);
  EXPECT_EQ(stage.times_told("half a line"), 0);
  claude.type(" the rest");
  claude.press("Enter");
  stage.await_told("half a line, and the rest");
}

TEST_P(IdleClaude, TellsEachOfTwoNudgesOnce) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  const auto first = nudge("the first");
  const auto second = nudge("the second");
  coder.await_delivered(first);
  coder.await_delivered(second);
  coder.await_state("idle");
  expect_delivered_once(first);
  expect_delivered_once(second);
  EXPECT_EQ(coder.told_in_order({first, second}), (std::vector<std::string>{first, second}));
}

TEST_P(IdleClaude, IsNotWokenForWhatMayWait) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  const auto patient = nudge("when you are at it", {"--mode", "queue"});
  const auto waking = nudge("wake up");
  coder.await_delivered(waking);
  coder.await_delivered(patient);
  coder.await_state("idle");
  EXPECT_EQ(turn_with(waking).find(patient), std::string::npos) << "it went along: " << turn_with(waking);
  EXPECT_EQ(coder.told_in_order({patient, waking}), (std::vector<std::string>{waking, patient}));
  expect_delivered_once(patient);
}

TEST_P(IdleClaude, IsToldOfMailOnceAndAgainAfterACompaction) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  const auto mail = stage.town().send("overseer", "coder", "the plan for today", {"-m", "nobody sees this text"});
  stage.await_told(mail);
  coder.await_state("idle");
  claude.await_idle();
  talk(claude, "anything new?");
  EXPECT_EQ(stage.times_told(mail), 1);
  claude.prompt("/compact");
  claude.await_screen("ompacted");
  claude.await_idle();
  talk(claude, "and now?");
  EXPECT_EQ(stage.times_told(mail), 2);
  EXPECT_NE(turn_with("and now?").find("the plan for today"), std::string::npos) << turn_with("and now?");
  EXPECT_EQ(stage.times_told("nobody sees this text"), 0);
}

TEST_P(IdleClaude, IsWokenOnceAfterItsConversationWasCleared) {
  const auto claude = open();
  talk(claude, "say hello");
  talk(claude, "say it again");
  claude.prompt("/clear");
  stage.await("a new session", [&] { return claude.screen().find("say it again") == std::string::npos; });
  claude.await_idle();
  await_waiter();
  const auto id = nudge("wake up");
  coder.await_delivered(id);
  coder.await_state("idle");
  const auto last = nudge("and once more");
  coder.await_delivered(last);
  coder.await_state("idle");
  expect_delivered_once(id);
  expect_delivered_once(last);
  expect_woken_by_hook(last);  // the first may have come with the start of the new conversation
}

TEST_P(IdleClaude, ThatIsKilledLeavesNoWaiterAndIsShownTheNudgeWhenItReturns) {
  std::string id;
  {
    const auto claude = open();
    talk(claude, "say hello");
    await_waiter();
    kill_program(process_in(claude));
    stage.await("its waiter ends", [this] { return waiters().empty(); });
    id = nudge("for your return");
    EXPECT_EQ(coder.state_of(id), "queued");
  }
  EXPECT_EQ(stage.times_told(id), 0);
  const auto claude = open();
  stage.await_told(id);
  coder.await_delivered(id);
  coder.await_state("idle");
  expect_delivered_once(id);
}

TEST_P(IdleClaude, ThatIsKilledAfterItWasToldIsNotToldAgain) {
  stage.rules(R"([{"when":"told before the end","delay_ms":60000}])");
  std::string id;
  {
    const auto claude = open();
    talk(claude, "say hello");
    await_waiter();
    id = nudge("told before the end");
    stage.await_told(id);
    kill_program(process_in(claude));
  }
  const auto claude = open();
  talk(claude, "say hello again");
  expect_delivered_once(id);
}

TEST_P(IdleClaude, ThatIsKilledBeforeItWasToldIsToldByItsNextSession) {
  {
    const auto claude = open();
    talk(claude, "say hello");
    kill_program(process_in(claude));
  }
  const auto id = nudge("for your next prompt", {"--mode", "queue"});
  {
    const auto claude = open();
    stage.await("its start takes the nudge", [&] { return coder.state_of(id) == "handed"; });
    kill_program(process_in(claude));
  }
  EXPECT_EQ(stage.times_told(id), 0);
  const auto claude = open();
  talk(claude, "say hello again");
  expect_delivered_once(id);
  EXPECT_EQ(turn_with(id), turn_with("say hello again"));
}

TEST_P(IdleClaude, IsToldEverythingThatManyProcessesSayAtOnce) {
  stage.start({"gt", "up"}, "up");
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  EXPECT_EQ(stage.run({"sh", "-c", "for i in 1 2 3 4 5 6 7 8; do gt nudge coder -m \"word number $i\" & done; wait"})
                .exit_code,
            0);
  const auto nudges = items_of(coder.gt({"nudge", "list", "--agent", "coder"}));
  ASSERT_EQ(nudges.size(), 8U);
  for (const auto& nudge : nudges) coder.await_delivered(text_at(nudge, "id"));
  coder.await_state("idle");
  const auto last = nudge("and that was all");
  expect_delivered_once(last);
  for (const auto& nudge : nudges) expect_delivered_once(text_at(nudge, "id"));
}

TEST_P(IdleClaude, ThatLostItsWaiterIsWokenByAFewTypedWords) {
  const auto claude = open();
  talk(claude, "say hello");
  await_waiter();
  stage.start({"gt", "up"}, "up");
  kill_program(waiters().at(0));
  const auto id = nudge("see @secret.txt for what to do");
  expect_delivered_once(id);
  EXPECT_NE(turn_with(id).find("Townpost: something waits for you."), std::string::npos) << turn_with(id);
  EXPECT_NE(turn_with(id).find("see @secret.txt"), std::string::npos) << "not typed, so not broken";
}

}  // namespace
}  // namespace townpost
