// `gt top` on real terminals, driven by keys.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/text.h"
#include "cli/expect.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

class TopOnATerminal : public testing::Test {
 protected:
  TopOnATerminal() { town.agents({"alice", "bob"}); }

  /// What the pane shows.
  std::string screen() const { return tmux.tmux({"capture-pane", "-p", "-t", "watch"}).out; }
  /// Whether the screen comes to show it.
  bool comes(std::string_view text) const {
    return until([&] { return screen().find(text) != std::string::npos; });
  }
  template <class Happens>
  static bool until(const Happens& happens) {
    for (int i = 0; i < 400; ++i, std::this_thread::sleep_for(50ms))
      if (happens()) return true;
    return false;
  }
  std::string asked(const std::string& format) const {
    return std::string(trim(tmux.tmux({"display-message", "-p", "-t", "watch", format}).out));
  }
  /// `gt top` in a pane of a shell that goes on behind it; its process is in the file `pid`.
  void begin(const std::string& before = "", const std::string& behind = "exec cat", int width = 80, int height = 24) {
    const auto script = cat(before, "sh -c 'echo $$ >pid; exec \"", gt_program(), "\" top --as overseer'; ", behind);
    // A server that has just lost its last session still answers for a moment, and goes.
    ASSERT_TRUE(until([&] {
      return tmux.tmux({"new-session", "-d", "-s", "watch", "-x", std::to_string(width), "-y", std::to_string(height),
                        "-c", town.folder().string(), script})
                 .exit_code == 0;
    }));
    ASSERT_TRUE(comes("? keys")) << screen();
  }
  void press(const Words& keys) const {
    Words words = {"send-keys", "-t", "watch"};
    words.insert(words.end(), keys.begin(), keys.end());
    EXPECT_EQ(tmux.tmux(words).exit_code, 0);
  }
  void type(const std::string& text) const { press({"-l", text}); }
  std::string pid() const { return std::string(trim(read_file(town.folder() / "pid").value_or(""))); }
  bool runs() const { return std::filesystem::exists(cat("/proc/", pid())); }

  TestTown town;
  TmuxServer tmux{town};
};

TEST_F(TopOnATerminal, ShowsAgentsAndWhatHappensAsItHappens) {
  begin();
  EXPECT_TRUE(comes("alice"));
  town.send("bob", "alice", "as it happens");
  EXPECT_TRUE(comes("as it happens")) << screen();
  town.agents({"newcomer"});
  EXPECT_TRUE(comes("newcomer")) << screen();
}

TEST_F(TopOnATerminal, RepliesToMailByKeys) {
  const auto id = town.send("alice", "overseer", "May I deploy?");
  begin();
  ASSERT_TRUE(comes("May I deploy?")) << screen();
  if (screen().find("mail · alice") == std::string::npos) press({"j"});
  ASSERT_TRUE(comes("mail · alice")) << screen();
  ASSERT_TRUE(comes("to you:")) << screen();
  press({"Tab"});
  press({"Enter"});
  ASSERT_TRUE(comes("message · alice")) << screen();
  press({"Escape"});
  ASSERT_TRUE(comes("mail · alice")) << screen();
  press({"r"});
  type("yes, at noon");
  ASSERT_TRUE(comes("yes, at noon")) << screen();
  press({"Enter"});
  EXPECT_TRUE(until([&] { return inbox_ids(town, "alice").size() == 1; })) << screen();
  EXPECT_EQ(text_at(read_as(town, "alice", inbox_ids(town, "alice").at(0)), "body"), "yes, at noon");
}

TEST_F(TopOnATerminal, HoldsNudgesAndQuarantinesByKeys) {
  begin();
  ASSERT_TRUE(comes("mail · alice")) << screen();
  press({"h"});
  EXPECT_TRUE(until([&] { return !text_at(town.json({"dnd", "status", "alice"}), "held_until").empty(); })) << screen();
  press({"n"});
  type("look at the build");
  press({"Enter"});
  EXPECT_TRUE(until([&] { return !items_of(town.json({"nudge", "list", "--agent", "alice"})).empty(); })) << screen();
  press({"x"});
  ASSERT_TRUE(comes("quarantine alice?")) << screen();
  press({"y"});
  EXPECT_TRUE(until([&] { return !text_at(town.json({"dnd", "status", "alice"}), "quarantined_at").empty(); }));
}

TEST_F(TopOnATerminal, FollowsTheSizeOfItsTerminal) {
  begin();
  for (const auto& [width, height] : {std::pair{120, 40}, {50, 12}, {80, 24}}) {
    tmux.tmux({"resize-window", "-t", "watch", "-x", std::to_string(width), "-y", std::to_string(height)});
    EXPECT_TRUE(until([&] {
      const auto text = screen();  // an empty one when it has scrolled or is cut
      const auto lines = split(text, '\n');
      return lines.size() > static_cast<std::size_t>(height) - 1 && lines[0].starts_with(" ") &&
             lines[static_cast<std::size_t>(height) - 1].starts_with("? keys");
    })) << width
        << "\n"
        << screen();
  }
  tmux.tmux({"resize-window", "-t", "watch", "-x", "30", "-y", "8"});
  EXPECT_TRUE(comes("needs 40")) << screen();
}

TEST_F(TopOnATerminal, GivesTheTerminalBackHoweverItEnds) {
  for (const auto* end : {"q", "TERM", "HUP", "INT", "QUIT", "ABRT"}) {
    begin("stty -a >before; ", "stty -a >after; echo over; exec cat");
    EXPECT_EQ(asked("#{alternate_on} #{cursor_flag}"), "1 0") << end;
    if (std::string_view(end) == "q")
      press({"q"});
    else
      town.shell(cat("kill -", end, " $(cat pid)"));
    ASSERT_TRUE(comes("over")) << end << "\n" << screen();
    EXPECT_EQ(asked("#{alternate_on} #{cursor_flag}"), "0 1") << end;
    EXPECT_EQ(read_file(town.folder() / "after").value(), read_file(town.folder() / "before").value()) << end;
    tmux.tmux({"kill-session", "-t", "watch"});
  }
}

TEST_F(TopOnATerminal, EndsWhenItsTerminalDies) {
  begin();
  ASSERT_TRUE(runs());
  tmux.end();
  EXPECT_TRUE(until([&] { return !runs(); }));
}

TEST_F(TopOnATerminal, UsesNoColourWhereNoneIsWanted) {
  begin("NO_COLOR=1; export NO_COLOR; ");
  const auto styled = tmux.tmux({"capture-pane", "-p", "-e", "-t", "watch"}).out;
  for (const auto* colour : {"[31m", "[32m", "[33m", "[36m", ";31m"})
    EXPECT_EQ(styled.find(colour), std::string::npos) << colour;
}

TEST_F(TopOnATerminal, DoesNothingWhileNothingHappens) {
  begin();
  ASSERT_TRUE(comes("mail · alice"));
  const auto woken = [&] {
    const auto status = read_file(cat("/proc/", pid(), "/status")).value_or("");
    const auto at = status.find("voluntary_ctxt_switches");
    return status.substr(at);
  };
  std::string before;
  ASSERT_TRUE(until([&] { return std::exchange(before, woken()) == before; }));
  for (int i = 0; i < 20; ++i) town.gt({"help"});
  EXPECT_EQ(woken(), before);
}

TEST_F(TopOnATerminal, ShowsFiveHundredAgents) {
  const auto added = town.shell("for i in $(seq 500); do \"$GT\" agent add \"w$i\" -q >/dev/null || exit 1; done");
  ASSERT_EQ(added.exit_code, 0) << added.err;
  begin();
  ASSERT_TRUE(comes("mail · alice")) << screen();
  press({"End"});
  EXPECT_TRUE(comes("mail · w99")) << screen();
  press({"/"});
  type("w250");
  EXPECT_TRUE(comes("mail · w250")) << screen();
  press({"Enter"});
  press({"q"});
  EXPECT_TRUE(until([&] { return !runs(); }));
}

TEST_F(TopOnATerminal, IsATableIntoAPipe) {
  const auto out = town.gt({"top"});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_NE(out.out.find("alice"), std::string::npos) << out.out;
  EXPECT_EQ(out.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace townpost
