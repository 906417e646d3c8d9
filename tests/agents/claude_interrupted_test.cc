// Claude Code in a terminal, with our hooks in its settings: a person presses Esc, or it ends and nobody asks how.
#include "agents/claude_pane.h"
#include "agents/claude_town.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {
namespace {

class InterruptedClaude : public ClaudeTown {
 protected:
  ClaudePane open() const {
    install_hooks();
    stage.rules(cat(R"([{"when":"think hard","once":true,"delay_ms":600000},)", gate_at("wait at the gate"), "]"));
    return ClaudePane(stage, {"--allowedTools", "Bash"}, "claude", as_coder());
  }
  /// A prompt and its answer; what the model was told up to there.
  std::string talk(const std::string& words) const {
    claude.prompt(words);
    stage.await_told(words);
    coder.await_state("idle");
    claude.await_idle();
    return stage.requests().back().all;
  }
  void submit(const std::string& words) const {
    claude.type(words);
    claude.await_screen(words);
    claude.press("Enter");
    stage.await("it is submitted", [&] { return claude.input_line().empty(); });
  }
  /// The prompt is back in the input line; it is cleared.
  void await_taken_back(const std::string& words) const {
    stage.await("the prompt is taken back", [&] { return claude.input_line() == words; });
    claude.press("C-u");
    stage.await("the input line is empty", [&] { return claude.input_line().empty(); });
  }
  /// What the session did not keep is for one of its next prompts, once it had the time to show it.
  void talk_until_given(const std::string& id) const {
    stage.await(cat(id, " is put back"), [&] { return coder.state_of(id) != "handed"; });
    for (int times = 3; coder.state_of(id) == "queued"; ++times) {
      if (times == 20)
        throw std::runtime_error(cat("it is never shown: ", to_line(coder.gt({"nudge", "explain", id}))));
      talk(cat("and number ", times, "."));
    }
  }

  const ClaudePane claude = open();
};

TEST_F(InterruptedClaude, IsToldAgainWhatWentWithAPromptThatWasTakenBack) {
  talk("say hello");
  const auto id = nudge("when you are at it", {"--mode", "queue"});
  submit("think hard");
  stage.await_told(id);
  claude.press("Escape");
  await_taken_back("think hard");
  EXPECT_EQ(talk("something else").find(id), std::string::npos) << "it is gone from the conversation";
  EXPECT_EQ(coder.state_of(id), "handed") << to_line(coder.gt({"nudge", "explain", id}));
  talk_until_given(id);
  coder.await_delivered(id);
  EXPECT_NE(talk("say goodbye").find(id), std::string::npos) << "it stays in the conversation";
  EXPECT_EQ(stage.times_told(id), 2) << "in the turn that was taken back, and once more";
}

TEST_F(InterruptedClaude, KeepsWhatItWasToldIfEscComesAtOnce) {
  talk("say hello");
  const auto id = nudge("when you are at it", {"--mode", "queue"});
  submit("think hard");
  claude.press("Escape");
  await_taken_back("think hard");
  talk("something else");
  talk_until_given(id);
  coder.await_delivered(id);
  EXPECT_NE(talk("say goodbye").find(id), std::string::npos) << to_line(coder.gt({"nudge", "explain", id}));
}

TEST_F(InterruptedClaude, WasToldWhatWentWithATurnThatWasInterruptedLater) {
  talk("say hello");
  const auto id = nudge("when you are at it", {"--mode", "queue"});
  claude.prompt("wait at the gate");
  await_at_gate();
  claude.press("Escape");
  claude.await_screen("Interrupted");
  EXPECT_NE(talk("something else").find(id), std::string::npos) << "it stays in the conversation";
  expect_delivered_once(id);
}

TEST_F(InterruptedClaude, WasToldWhatWokeItThoughThatTurnWasInterrupted) {
  talk("say hello");
  await_waiter();
  const auto id = nudge("think hard");
  stage.await_told(id);
  claude.press("Escape");
  claude.await_screen("Interrupted");
  EXPECT_NE(talk("something else").find(id), std::string::npos) << "it stays in the conversation";
  coder.await_delivered(id);
}

TEST_F(InterruptedClaude, ThatEndedIsGoneThoughItsParentDoesNotAskHow) {
  // The shell that started it becomes a program that waits for nobody.
  const auto script = cat("exec 3<&0; ", stage.claude(), " <&3 & exec sleep 3600");
  tmux({"respawn-pane", "-k", "-t", claude.pane(), script});
  claude.await_idle();
  talk("say hello");
  await_waiter();
  const auto process = children_of(process_in(claude)).at(0);
  kill_program(process);
  stage.await("its waiter ends", [this] { return waiters().empty(); });
  const auto id = nudge("for your return");
  EXPECT_EQ(coder.state_of(id), "queued");
  stage.start({"gt", "up"}, "up");
  coder.await_state("exited");
  EXPECT_TRUE(is_zombie(process));
  EXPECT_EQ(coder.state_of(id), "queued");
}

}  // namespace
}  // namespace townpost
