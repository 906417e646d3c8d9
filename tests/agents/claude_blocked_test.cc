// Claude Code in a terminal at a permission dialog: a person decides, and nothing of ours does it for them.
#include <algorithm>
#include <chrono>
#include <thread>

#include "agents/claude_pane.h"
#include "agents/claude_town.h"
#include "base/text.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDialog = "Do you want to";

class BlockedClaude : public ClaudeOfEachVersion {
 protected:
  /// The model wants to run a program, and Claude Code asks for permission.
  void ask_for_permission(const ClaudePane& claude) const {
    stage.rules(R"([{"when":"make the file","once":true,"tool":{"name":"Bash",)"
                R"("input":{"command":"touch made-by-the-tool","description":"makes a file"}}}])");
    claude.prompt("make the file");
    claude.await_screen(kDialog);
  }
  bool dialog_is_open(const ClaudePane& claude) const { return claude.screen().find(kDialog) != std::string::npos; }
  /// Enter, as often as it takes: a dialog that has only just opened does not listen to it.
  void decide(const ClaudePane& claude) const {
    stage.await("the dialog closes", [&] {
      claude.press("Enter");
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return !dialog_is_open(claude);
    });
  }
  /// How many answers stand above it depends on the version.
  void mark_no(const ClaudePane& claude) const {
    const auto is_marked = [&] {
      const auto screen = claude.screen();
      const auto lines = split(screen, '\n');
      return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
        return trim(line).starts_with("❯") && line.find(". No") != std::string_view::npos;
      });
    };
    stage.await("No is marked", [&] {
      if (is_marked()) return true;
      claude.press("Down");
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return false;
    });
  }
  bool tool_ran() const { return fs::exists(stage.town().folder() / "made-by-the-tool"); }
};

WITH_EACH_CLAUDE(BlockedClaude);

TEST_P(BlockedClaude, IsToldAfterAPersonHasAllowedTheTool) {
  install_hooks();
  const ClaudePane claude(stage, {}, "claude", as_coder());
  ask_for_permission(claude);
  coder.await_state("blocked");
  EXPECT_EQ(text_at(items_of(value_at(coder.gt({"status"}), "agents")).at(0), "address"), "coder")
      << "those who need a person come first";
  const auto waits = coder.nudge("when you are done");
  EXPECT_NE(waits.note.find("it is blocked and waits for a person: permission for"), std::string::npos) << waits.note;
  const auto& patient = waits.id;
  const auto now = nudge("at once", {"--now"});
  coder.gt({"nudge", "retry", now});
  EXPECT_TRUE(dialog_is_open(claude)) << claude.screen();
  EXPECT_FALSE(tool_ran());
  EXPECT_EQ(coder.state_of(patient), "queued");
  EXPECT_EQ(coder.state_of(now), "queued");

  decide(claude);  // "Yes" stands first
  expect_delivered_once(now);
  expect_delivered_once(patient);
  EXPECT_TRUE(tool_ran());
  EXPECT_EQ(coder.told_in_order({patient, now}), (std::vector<std::string>{now, patient}));
  coder.await_state("idle");
}

TEST_P(BlockedClaude, IsToldAfterAPersonHasRefusedTheTool) {
  install_hooks();
  stage.start({"gt", "up"}, "up");
  const ClaudePane claude(stage, {}, "claude", as_coder());
  ask_for_permission(claude);
  coder.await_state("blocked");
  const auto id = nudge("when you are done");
  EXPECT_EQ(coder.state_of(id), "queued");
  mark_no(claude);
  decide(claude);
  expect_delivered_once(id);
  EXPECT_FALSE(tool_ran());
}

TEST_P(BlockedClaude, WithoutHooksIsNotTypedTo) {
  const ClaudePane claude(stage);
  coder.gt({"agent", "add", "coder", "--session", cat("tmux:", claude.pane())});
  ask_for_permission(claude);
  const auto sent = coder.nudge("look at the build", {"--now"});
  EXPECT_EQ(sent.state, "queued");
  EXPECT_EQ(coder.state(), "blocked");
  coder.gt({"nudge", "retry", sent.id});
  EXPECT_TRUE(dialog_is_open(claude)) << claude.screen();
  EXPECT_FALSE(tool_ran());
  EXPECT_EQ(coder.state_of(sent.id), "queued");

  stage.start({"gt", "up"}, "up");
  decide(claude);
  expect_delivered_once(sent.id);
  EXPECT_TRUE(tool_ran());
}

TEST_P(BlockedClaude, WithAListOnItsScreenIsNotTypedTo) {
  const ClaudePane claude(stage);
  coder.gt({"agent", "add", "coder", "--session", cat("tmux:", claude.pane())});
  claude.type("/model");
  claude.await_screen("/model");
  claude.press("Enter");
  claude.await_screen("Select model");
  const auto sent = coder.nudge("look at the build", {"--now"});
  EXPECT_EQ(sent.state, "queued") << sent.note;
  EXPECT_EQ(coder.state(), "blocked");
  EXPECT_NE(claude.screen().find("Select model"), std::string::npos) << claude.screen();
  stage.start({"gt", "up"}, "up");
  claude.press("Escape");
  expect_delivered_once(sent.id);
}

}  // namespace
}  // namespace townpost
