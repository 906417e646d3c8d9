#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

/// Text of ours that was typed and not submitted.
class Leftover : public TmuxLab {
 protected:
  static Injection nudge(const std::string& text) { return {.text = text, .ids = {}, .at = Injection::At::idle}; }

  /// Types `text` in a process that dies before it is submitted; the harness must ignore the first Enter.
  void type_and_die(const std::string& text) {
    const pid_t child = fork();
    if (child == 0) {
      auto waits = waits_;
      waits.sleep = [](Millis) { _exit(0); };  // it waits for the line to be cleared
      std::swap(waits, waits_);
      (void)inject("tmux:agent", text);
      _exit(1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "it was to die in the middle";
  }
};

TEST_F(Leftover, OfADeadProcessIsTakenBackForTheNextText) {
  const auto pane = start_harness("agent", {"ignores-enters=1"});
  type_and_die("deploy is red");
  wait_for(pane, "❯\u00A0deploy is red");
  EXPECT_EQ(text(session("tmux:agent").look()), "idle");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"another word"});
}

TEST_F(Leftover, OfADeadProcessIsSubmittedIfItIsTheSameText) {
  const auto pane = start_harness("agent", {"ignores-enters=1", "composes"});
  type_and_die("A3 e\u0301 x");
  wait_for(pane, "❯\u00A0A3 é x");
  EXPECT_EQ(text(inject("tmux:agent", "A3 e\u0301 x")), "shown");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "shown");
  EXPECT_EQ(prompts("agent"), (Words{"A3 e\u0301 x", "another word"}));
}

TEST_F(Leftover, OfADeadProcessThatWasFoldedAwayIsKnownToo) {
  const auto pane = start_harness("agent", {"ignores-enters=1"});
  type_and_die("a\nb\nc\nd\ne");
  wait_for(pane, "[Pasted text");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "shown");
  EXPECT_EQ(prompts("agent"), Words{"another word"});
}

TEST_F(Leftover, ThatAPersonWentOnWithIsTheirs) {
  const auto pane = start_harness("agent", {"ignores-enters=1"});
  type_and_die("deploy is red");
  tmux({"send-keys", "-t", pane, "-l", "dish"});
  wait_for(pane, "deploy is reddish");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "not_started: there is a draft in the input line");
  EXPECT_EQ(prompts("agent"), Words{});
}

TEST_F(Leftover, IsNoExcuseToTouchAPersonsFewLetters) {
  const auto pane = start_harness("agent", {"ignores-enters=1"});
  type_and_die("deploy is red");
  for (int i = 0; i < 20; ++i) tmux({"send-keys", "-t", pane, "BSpace"});
  tmux({"send-keys", "-t", pane, "-l", "ploy"});
  wait_for(pane, "❯\u00A0ploy");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "not_started: there is a draft in the input line");
}

TEST_F(Leftover, IsForgottenOnceItIsSubmitted) {
  const auto pane = start_harness("agent");
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")), "shown");
  tmux({"send-keys", "-t", pane, "-l", "deploy is red"});
  wait_for(pane, "❯\u00A0deploy is red");
  EXPECT_EQ(text(inject("tmux:agent", "another word")), "not_started: there is a draft in the input line");
}

TEST_F(Leftover, ThatCannotBeKnownIsTakenBackAtOnceWhereNobodyTypes) {
  waits_.looks = 10;
  const auto pane = start_harness("agent", {"garbles"});
  const auto before = screen(pane);
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")),
            "failed: the text did not show as it was typed; it was taken back");
  EXPECT_EQ(screen(pane), before);
  EXPECT_EQ(prompts("agent"), Words{});
}

}  // namespace
}  // namespace townpost
