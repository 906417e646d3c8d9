// Completion in the real shells: what a person sees who types a few letters and presses Tab.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "base/text.h"
#include "cli/expect.h"
#include "support/await.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class Completion : public testing::TestWithParam<const char*> {
 protected:
  Completion() {
    town.agents({"coder", "reviewer"});
    town.json({"queue", "create", "jobs"});
    id = town.send("coder", "reviewer", "Look at this");
    fs::create_directories(town.folder() / "bin");
    fs::create_symlink(gt_program(), town.folder() / "bin" / "gt");
  }

  std::string start_shell() {
    const std::string shell = GetParam();
    const auto start =
        cat("env HOME='", town.folder().string(), "' PATH='", town.folder().string(), "/bin:/usr/bin:/bin' ",
            shell == "bash"  ? "bash --norc --noprofile -i"
            : shell == "zsh" ? "zsh -f -i"
                             : "fish --no-config -i");
    pane = tmux.start_session("shell", start);
    type(shell == "zsh"    ? "PS1='ready> '; autoload -Uz compinit; compinit -u -D; source <(gt completion zsh)"
         : shell == "bash" ? "PS1='ready> '; source <(gt completion bash)"
                           : "function fish_prompt; echo 'ready> '; end; gt completion fish | source");
    press("Enter");
    type("clear; echo has been read");
    press("Enter");
    await("\nhas been read");
    return pane;
  }
  void type(const std::string& text) const { tmux.tmux({"send-keys", "-t", pane, "-l", "--", text}); }
  void press(const std::string& key) const { tmux.tmux({"send-keys", "-t", pane, key}); }
  std::string screen() const { return cat("\n", tmux.tmux({"capture-pane", "-p", "-t", pane}).out); }
  void await(const std::string& text) const {
    townpost::await(
        cat("the screen shows \"", text, "\""), [&] { return screen().find(text) != std::string::npos; },
        [&] { return screen(); });
  }
  /// Types this and presses Tab until the line shows `whole`.
  void expect_completed(const std::string& begun, const std::string& whole) const {
    press("C-u");
    type(begun);
    await(begun);
    press("Tab");
    await(whole);
  }

  TestTown town;
  TmuxServer tmux{town};
  std::string pane, id;
};

TEST_P(Completion, OfCommandsAddressesListsAndIds) {
  start_shell();
  expect_completed("gt mail una", "gt mail unarchive");
  expect_completed("gt mail send rev", "gt mail send reviewer");
  expect_completed("gt queue show j", "gt queue show jobs");
  expect_completed("gt mail send queue:j", "gt mail send queue:jobs");
  expect_completed("gt mail send coder --prio", "gt mail send coder --priority");
  expect_completed(cat("gt mail ack --as reviewer ", id.substr(0, 5)), cat("gt mail ack --as reviewer ", id));
}

INSTANTIATE_TEST_SUITE_P(, Completion, testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return std::string(shell.param); });

TEST(CompletionCommand, SaysWhichShellsItKnows) {
  const TestTown town(TestTown::Start::empty_folder);
  const auto unknown = town.gt({"completion", "tcsh"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("bash, zsh or fish"), std::string::npos);
  EXPECT_NE(town.gt({"completion", "--help"}).out.find("source <(gt completion bash)"), std::string::npos);
  EXPECT_EQ(town.gt({"completion", "of", "--", "mail", "ack", ""}).exit_code, 1) << "without a town nothing lives";
}

TEST(CompletionCommand, ShowsTextOfOthersAsOneHarmlessLine) {
  const TestTown town;
  town.agents({"evil"});
  town.send("evil", "overseer", "x\x1b[31m\ty");
  const auto out = town.gt({"completion", "of", "--", "mail", "ack", "hq-m"}).out;
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\t'), 1) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
}

}  // namespace
}  // namespace townpost
