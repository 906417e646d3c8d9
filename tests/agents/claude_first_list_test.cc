// Claude Code at a list that it shows before its first turn: no hook tells of that, and the town says it nevertheless.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "agents/claude_town.h"
#include "base/text.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class ClaudeAtAList : public ClaudeOfEachVersion {
 protected:
  ClaudeAtAList() {
    install_hooks();
    fs::create_directories(fresh());
  }
  ~ClaudeAtAList() override { (void)stage.run({"tmux", "-f", "/dev/null", "kill-server"}); }
  /// A folder that nobody has trusted yet: not below the town's, which is.
  fs::path fresh() const { return stage.home() / "fresh"; }
  /// Opens it in tmux, where it asks something before it is ready.
  void open(const fs::path& folder, const Words& arguments = {}) {
    Words words = {"tmux", "-f", "/dev/null", "new-session", "-d", "-s", "claude", "-x", "120", "-y", "40"};
    for (const auto& word : Words{"-c", folder.string(), "-e", "MAIL_IDENTITY=coder", "-e",
                                  "GT_TOWN=" + stage.town().folder().string(), stage.claude()})
      words.push_back(word);
    words.insert(words.end(), arguments.begin(), arguments.end());
    // A server whose last session has just ended still answers while it goes.
    stage.await("tmux opens a session", [&] { return stage.run(words).exit_code == 0; });
    coder.gt({"agent", "add", "coder", "--session", "tmux:claude"});
  }
  std::string screen() const { return tmux({"capture-pane", "-p", "-t", "claude"}); }
  void await_screen(const std::string& text) const {
    stage.await("the screen shows " + text, [&] { return screen().find(text) != std::string::npos; });
  }
  /// Enter at this choice; which one is marked at first depends on the version.
  void choose(const std::string& choice) const {
    const auto is_marked = [&] {
      const auto now = screen();
      const auto lines = split(now, '\n');
      return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
        return trim(line).starts_with("❯") && line.find(choice) != std::string_view::npos;
      });
    };
    stage.await(choice + " is marked", [&] {
      if (is_marked()) return true;
      tmux({"send-keys", "-t", "claude", "Down"});
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return false;
    });
    tmux({"send-keys", "-t", "claude", "Enter"});
  }
  std::string detail() const { return text_at(coder.entry(), "detail"); }
};
WITH_EACH_CLAUDE(ClaudeAtAList);

TEST_P(ClaudeAtAList, OfTrustIsBlockedUntilAPersonHasAnswered) {
  open(fresh());
  await_screen("Yes, I trust");
  coder.await_state("blocked");
  EXPECT_NE(detail().find("one you trust?"), std::string::npos) << detail() << screen();
  const auto sent = coder.nudge("look at the build");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(screen().find("Yes, I trust"), std::string::npos) << "nothing was typed: " << screen();
  choose("Yes, I trust");
  expect_delivered_once(sent.id);
}

TEST_P(ClaudeAtAList, OfEarlierConversationsIsBlockedUntilAPersonHasChosen) {
  {
    const ClaudePane first(stage, {}, "first", as_coder());
    first.prompt("an earlier conversation");
    stage.await_told("an earlier conversation");
    first.await_idle();
  }
  open(stage.town().folder(), {"--resume"});
  await_screen("an earlier conversation");
  coder.await_state("blocked");
  EXPECT_NE(detail().find("Resume"), std::string::npos) << detail() << screen();
  choose("an earlier conversation");
  coder.await_state("idle");
}

}  // namespace
}  // namespace townpost
