// A harness that shows a list of its own before its first turn, in a real tmux: the town says so, though no hook does.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/expect.h"
#include "support/await.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class FirstScreen : public testing::Test {
 protected:
  FirstScreen() { fs::copy_file("/bin/sh", town.folder() / "claude"); }
  /// A program called claude that does `first`, shows a list, and its prompt once somebody pressed Enter.
  std::string start_claude(const std::string& first) {
    std::ofstream(town.folder() / "program") << first << R"sh(
rule=────────────────────────────────────────────────────────────
printf '\033[2J\033[H%s\n Try the new fullscreen renderer?\n\n ❯ 1. Yes\n   2. Not now\n\n Enter to confirm · Esc to cancel\n' "$rule"
: >shown
read -r answer
printf '\033[2J\033[H%s\n❯ \n%s\n  ? for shortcuts' "$rule" "$rule"
: >prompted
read -r answer
)sh";
    const auto pane = tmux.start_session("desk", cat("env GT='", gt_program(), "' MAIL_IDENTITY=coder ",
                                                     (town.folder() / "claude").string(), " program"));
    await("its list is shown", [&] { return fs::exists(town.folder() / "shown"); });
    return pane;
  }
  void press_enter(const std::string& pane) {
    tmux.tmux({"send-keys", "-t", pane, "Enter"});
    await("its prompt is shown", [&] { return fs::exists(town.folder() / "prompted"); });
    fs::remove_all(town.folder() / ".town" / "run" / "first");  // as if some seconds had passed since the last look
  }
  Json coder() const {
    for (const auto& one : items_of(value_at(town.json({"status"}, tmux.variables()), "agents")))
      if (text_at(one, "address") == "coder") return one;
    return {};
  }
  static constexpr const char* kHook =
      R"(printf '{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}' | "$GT" signal claude SessionStart)";

  TestTown town;
  TmuxServer tmux{town};
};

TEST_F(FirstScreen, WithAListIsBlockedAndSaysWhatItAsksUntilItHasGone) {
  town.agents({"coder"});
  const auto pane = start_claude(kHook);
  const auto at_list = coder();
  EXPECT_EQ(text_at(at_list, "state"), "blocked");
  EXPECT_NE(text_at(at_list, "detail").find("Try the new fullscreen renderer?"), std::string::npos);
  EXPECT_TRUE(flag_at(at_list, "needs_you"));
  const auto why = town.gt({"why", "coder"}, tmux.variables()).out;
  EXPECT_NE(why.find("Try the new fullscreen renderer?"), std::string::npos) << why;
  const auto sent = items_of(town.json({"nudge", "coder", "look"}, tmux.variables())).at(0);
  EXPECT_NE(text_at(sent, "note").find("it is blocked and waits for a person"), std::string::npos);
  press_enter(pane);
  EXPECT_EQ(text_at(coder(), "state"), "idle");
}

TEST_F(FirstScreen, BeforeAnyHookIsToldToWhoeverLooks) {  // a question of trust comes before the session's first hook
  town.agents({"coder"});
  const auto pane = start_claude(":");
  town.json({"agent", "add", "coder", "--session", "tmux:" + pane, "--as", "overseer"}, tmux.variables());
  const auto at_list = coder();
  EXPECT_EQ(text_at(at_list, "state"), "blocked");
  EXPECT_NE(text_at(at_list, "detail").find("Try the new fullscreen renderer?"), std::string::npos);
  EXPECT_FALSE(fs::exists(town.folder() / ".town" / "run" / "presence")) << "a look notes nothing";
  press_enter(pane);
  EXPECT_EQ(text_at(coder(), "state"), "unknown");
}

TEST_F(FirstScreen, IsNotLookedAtForAnAgent) {
  town.agents({"coder", "bob"});
  start_claude(kHook);
  auto as_bob = tmux.variables();
  as_bob["MAIL_IDENTITY"] = "bob";
  town.json({"status"}, as_bob);
  EXPECT_FALSE(fs::exists(town.folder() / ".town" / "run" / "first"));
}

}  // namespace
}  // namespace townpost
