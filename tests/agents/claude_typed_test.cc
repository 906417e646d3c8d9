// Claude Code in a terminal without our hooks: nudges are typed into its pane.
#include <chrono>
#include <fstream>
#include <thread>

#include "agents/claude_pane.h"
#include "agents/claude_town.h"
#include "base/text.h"

namespace townpost {
namespace {

class TypedClaude : public ClaudeTown {
 protected:
  TypedClaude() {
    register_as(cat("tmux:", claude.pane()));
    await_calm();
  }
  /// Waits until nothing moves on its screen any more, such as the drawing that greets a person.
  void await_calm() const {
    stage.await("its screen is calm", [this] {
      const auto before = claude.screen();
      std::this_thread::sleep_for(std::chrono::seconds(1));
      return claude.screen() == before;
    });
  }
  /// What could not be typed at once is typed by the dispatcher.
  void start_dispatcher() const { stage.start({"gt", "up"}, "up"); }
  void register_as(const std::string& session) const { coder.gt({"agent", "add", "coder", "--session", session}); }
  /// Nudges, and waits until the model was told; the lines that it was told.
  std::string told_by_nudge(const std::string& text) const {
    const auto id = nudge(text);
    expect_delivered_once(id);
    return turn_with(id) + "\n";
  }

  const ClaudePane claude{stage, {"--allowedTools", "Bash"}};
};

TEST_F(TypedClaude, IsToldAtItsEmptyPromptAtOnce) {
  const auto sent = coder.nudge("look at the build");
  EXPECT_EQ(sent.state, "delivered") << sent.note;
  expect_delivered_once(sent.id);
  EXPECT_NE(turn_with(sent.id).find(cat("[", sent.id, "] nudge from a script of your user: look at the build\n")),
            std::string::npos)
      << turn_with(sent.id);
  claude.await_idle();
  EXPECT_EQ(claude.input_line(), "");
}

TEST_F(TypedClaude, IsToldWordForWord) {
  start_dispatcher();
  for (const std::string text :
       {"it ends in a semicolon;", "-rf begins like an option", "Enter C-c Escape are words, and so is $HOME `date`",
        R"(quotes " and ' and a \n that is none, and \)", "crab 🦀, café, 漢字, 👩‍👩‍👧"}) {
    const auto told = told_by_nudge(text);
    EXPECT_NE(told.find(cat("nudge from a script of your user: ", text, "\n")), std::string::npos)
        << text << " became " << told;
  }
}

TEST_F(TypedClaude, IsToldWithoutWhatATerminalOrAHarnessWouldActOn) {
  start_dispatcher();
  EXPECT_NE(told_by_nudge("red: \x1b[31mred\x1b[0m, bell: \a, tab: \t, back: \b\r.")
                .find("nudge from a script of your user: red: [31mred[0m, bell: , tab:  , back: .\n"),
            std::string::npos)
      << turn_with("red: ");
  std::ofstream(stage.town().folder() / "secret.txt") << "the secret words\n";
  EXPECT_NE(told_by_nudge("read @secret.txt").find("read ＠secret.txt"), std::string::npos);
  EXPECT_EQ(stage.times_told("the secret words"), 0);
}

TEST_F(TypedClaude, IsToldWhatItDrawsInAnotherWay) {
  // Without a dispatcher: what is not delivered at once, or leaves something in the input line, stops the next one.
  const std::pair<std::string, std::string> kTexts[] = {
      {"A3 e\u0301 x", "A3 \u00E9 x"},  // it composes what it is given
      {"skin \U0001F44D\U0001F3FD tone", "skin \U0001F44D tone"},
      {"zero\u200Bwidth", "zerowidth"},  // and takes out what is invisible
      {"word\u2060joiner", "wordjoiner"},
      {"hangul \u1112\u1161\u11AB x", "hangul \uD55C x"},
      {"\u4F60\u597D\u4E16\u754C", "\u4F60\u597D\u4E16\u754C"},
      {"plain again", "plain again"}};
  for (const auto& [text, told] : kTexts) {
    const auto sent = coder.nudge(text);
    EXPECT_EQ(sent.state, "delivered") << text << ": " << sent.note << "\n" << claude.screen();
    expect_delivered_once(sent.id);
    EXPECT_NE(cat(turn_with(sent.id), "\n").find(cat("nudge from a script of your user: ", told, "\n")),
              std::string::npos)
        << text << " became " << turn_with(sent.id);
    claude.await_idle();
    await_calm();
    EXPECT_EQ(claude.input_line(), "") << text;
  }
}

TEST_F(TypedClaude, IsNotMadeToActOnAKeyword) {
  start_dispatcher();
  const auto told = told_by_nudge("please Ultrathink, ultracode, ultra\u200Bthink, ultrathin\u212A and ultraplan");
  EXPECT_NE(told.find("please Ultra-think, ultra-code, ultra-think, ultra-thinK and ultra-plan\n"), std::string::npos)
      << told;
  EXPECT_EQ(told.find("included the keyword"), std::string::npos) << told;
}

TEST_F(TypedClaude, WhoseInputLineHoldsWhatADeadProcessTypedIsToldNevertheless) {
  const auto killed = stage.run({"sh", "-c",
                                 "gt nudge coder -m 'cafe\u0301 is closed' >/dev/null 2>&1 & "
                                 // in the moment between the text and Enter
                                 "until tmux capture-pane -p -t \"$1\" | grep -q closed; do :; done; kill -9 $!",
                                 "sh", claude.pane()});
  ASSERT_EQ(killed.exit_code, 0) << killed.err;
  await_calm();
  start_dispatcher();  // the dead process's share is free again after a while
  nudge("look at the build");
  for (const auto& sent : items_of(coder.gt({"nudge", "list", "--agent", "coder"})))
    expect_delivered_once(text_at(sent, "id"));
  claude.await_idle();
  EXPECT_EQ(claude.input_line(), "");
}

TEST_F(TypedClaude, IsToldSeveralLinesAsTheWordsOfAnother) {
  start_dispatcher();
  const auto told = told_by_nudge("first line\n\n/clear\n!touch made-by-the-shell\n# last line");
  for (const auto* line : {"> first line\n", "\n> \n", "clear\n", "touch made-by-the-shell\n", "last line\n"})
    EXPECT_NE(told.find(line), std::string::npos) << line << " is not in\n" << told;
  EXPECT_FALSE(std::filesystem::exists(stage.town().folder() / "made-by-the-shell"));
}

TEST_F(TypedClaude, IsToldTheHeadOfALongTextAndHowToReadTheRest) {
  start_dispatcher();
  std::string lines;
  for (int line = 0; lines.size() < 17'000; ++line) lines += cat("line ", line, " of a long report\n");
  const std::string one_line = std::string(16'990, 'x') + " the end";
  for (const auto& text : {lines, one_line}) {
    const auto id = nudge(text);
    expect_delivered_once(id);
    claude.await_idle();
    const auto told = turn_with(id);
    EXPECT_NE(told.find(cat("gt nudge show ", id)), std::string::npos) << told;
    EXPECT_EQ(text_at(coder.gt({"nudge", "show", id}), "message"), text);
  }
  EXPECT_EQ(stage.times_told("line 0 of a long report"), 1);
  EXPECT_EQ(stage.times_told("line 250 of a long report"), 1);
  EXPECT_EQ(stage.times_told(std::string(7'900, 'x')), 1);
  EXPECT_EQ(stage.times_told("the end"), 0);
}

TEST_F(TypedClaude, InCopyModeIsToldNevertheless) {
  start_dispatcher();
  tmux({"copy-mode", "-t", claude.pane()});
  EXPECT_EQ(tmux({"display-message", "-p", "-t", claude.pane(), "#{pane_in_mode}"}), "1");
  const auto told = told_by_nudge("leave that mode");
  EXPECT_NE(told.find("leave that mode"), std::string::npos);
}

TEST_F(TypedClaude, IsFoundUnderItsPaneHoweverItsSessionIsCalled) {
  start_dispatcher();
  tmux({"rename-session", "-t", "=claude", "another"});
  const auto id = nudge("still here?");
  expect_delivered_once(id);
  tmux({"rename-session", "-t", "=another", "claude"});
}

TEST_F(TypedClaude, ThatIsNotThereUnderItsNameIsToldWhenItIs) {
  register_as("tmux:claude");
  tmux({"rename-session", "-t", "=claude", "claude-2"});
  const auto sent = coder.nudge("still here?");
  EXPECT_EQ(sent.state, "queued") << "the name of another session only begins like that";
  tmux({"rename-session", "-t", "=claude-2", "claude"});
  EXPECT_EQ(stage.times_told(sent.id), 0);
  start_dispatcher();
  coder.gt({"nudge", "retry", sent.id});
  expect_delivered_once(sent.id);
}

TEST_F(TypedClaude, ThatDiedLosesNothing) {
  const auto pane = claude.pane();
  tmux({"set-option", "-p", "-t", pane, "remain-on-exit", "on"});
  kill_program(process_in(claude));
  stage.await("the pane is dead", [&] { return tmux({"display-message", "-p", "-t", pane, "#{pane_dead}"}) == "1"; });
  const auto sent = coder.nudge("for your return");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(sent.note.find("has ended"), std::string::npos) << sent.note;
  tmux({"respawn-pane", "-k", "-t", pane, stage.claude()});
  claude.await_idle();
  register_as(cat("tmux:", pane));  // another process has it now, so somebody has to say that it is the coder's
  await_calm();
  start_dispatcher();
  coder.gt({"nudge", "retry", sent.id});
  expect_delivered_once(sent.id);
}

TEST_F(TypedClaude, IsToldEverythingThatManyProcessesSayAtOnce) {
  start_dispatcher();
  Words words;
  for (int number = 1; number <= 6; ++number) words.push_back(cat("word number ", number, " of six;"));
  Words command = {"sh", "-c", "for text in \"$@\"; do gt nudge coder -m \"$text\" & done; wait", "sh"};
  command.insert(command.end(), words.begin(), words.end());
  EXPECT_EQ(stage.run(command).exit_code, 0);
  for (const auto& text : words) stage.await_told(text);
  const auto nudges = items_of(coder.gt({"nudge", "list", "--agent", "coder"}));
  ASSERT_EQ(nudges.size(), words.size());
  for (const auto& nudge : nudges) {
    const auto id = text_at(nudge, "id");
    expect_delivered_once(id);
    EXPECT_NE(turn_with(id).find(cat("[", id, "] nudge from a script of your user: ", text_at(nudge, "message"), "\n")),
              std::string::npos)
        << turn_with(id);
  }
}

TEST_F(TypedClaude, IsLeftAloneWhileAPersonWritesThere) {
  start_dispatcher();
  claude.type("half a line, and");
  claude.await_screen("half a line, and");
  const auto sent = coder.nudge("look at the build");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_EQ(sent.note, "a person is typing there");
  EXPECT_EQ(claude.input_line(), "half a line, and");
  claude.type(" the rest");
  claude.press("Enter");
  stage.await_told("half a line, and the rest");
  expect_delivered_once(sent.id);
  EXPECT_EQ(turn_with(sent.id).find("half a line"), std::string::npos) << turn_with(sent.id);
}

TEST_F(TypedClaude, ThatAScriptStartedIsKnownForWhatItIs) {
  tmux({"respawn-pane", "-k", "-t", claude.pane(), cat("cd . && ", stage.claude(), "; echo over")});
  claude.await_idle();
  register_as(cat("tmux:", claude.pane()));
  await_calm();
  claude.type("half a line, and");
  claude.await_screen("half a line, and");
  const auto sent = coder.nudge("look at the build");
  EXPECT_EQ(sent.state, "queued") << sent.note;
  EXPECT_EQ(claude.input_line(), "half a line, and");
  claude.press("Enter");
  stage.await_told("half a line, and");
  start_dispatcher();
  expect_delivered_once(sent.id);
  EXPECT_EQ(turn_with(sent.id).find("half a line"), std::string::npos) << turn_with(sent.id);
}

TEST_F(TypedClaude, IsToldWhenItsTurnIsOver) {
  start_dispatcher();
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  claude.prompt("wait at the gate");
  await_at_gate();
  const auto sent = coder.nudge("look at the build");
  EXPECT_EQ(sent.state, "queued") << sent.note;
  EXPECT_EQ(coder.state(), "running");
  open_gate();
  expect_delivered_once(sent.id);
  EXPECT_NE(turn_with(sent.id).find("look at the build"), std::string::npos);
  EXPECT_EQ(turn_with(sent.id).find("the gate opened"), std::string::npos) << "in a turn of its own";
}

TEST_F(TypedClaude, IsInterruptedBetweenTwoToolsOnlyIfThatIsWanted) {
  start_dispatcher();
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  claude.prompt("wait at the gate");
  await_at_gate();
  const auto patient = nudge("when you are done");
  const auto now = nudge("at once", {"--now"});
  coder.await_delivered(now);
  EXPECT_EQ(coder.state_of(patient), "queued");
  open_gate();
  expect_delivered_once(now);
  expect_delivered_once(patient);
  const auto in_the_middle = turn_with("the gate opened");
  EXPECT_NE(in_the_middle.find(now), std::string::npos) << in_the_middle;
  EXPECT_EQ(in_the_middle.find(patient), std::string::npos) << in_the_middle;
}

}  // namespace
}  // namespace townpost
