// What reaches a terminal, a command or a process from outside, and what never does.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/child.h"
#include "base/text.h"
#include "cli/expect.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

class Doors : public testing::Test {
 protected:
  ProcessOutput shell(const std::string& script) { return town.shell(script, tmux.variables()); }
  std::string why(const std::string& who) { return town.gt({"why", who}, tmux.variables()).out; }

  TestTown town;
  TmuxServer tmux{town};
};

TEST_F(Doors, TextOfAgentsIsNotRunByTheShellInAPane) {
  town.agents({"evil"});
  tmux.start_session("build", "bash --norc -i");
  tmux.start_session("ops2", "sh -i");
  const auto sent = shell(R"sh(
    E="env MAIL_IDENTITY=evil"
    $E "$GT" nudge build "hi
/dev/null touch $PWD/pwned-nudge
bye"; echo "rc $?"
    $E "$GT" mail send ops2 -s "x\"; touch $PWD/pwned-mail #" -m body; echo "rc $?"
    "$GT" agent list -q
    "$GT" nudge build "from the human
/dev/null touch $PWD/pwned-by-the-human"; echo "rc $?"
    "$GT" mail send ops2 -s "x\"; touch $PWD/pwned-by-mail #" -m body -q; echo "rc $?"
    "$GT" nudge carry ops2 build
    ls | grep pwned
  )sh");
  EXPECT_EQ(sent.out.find("rc 5"), sent.out.find("rc ")) << sent.out << sent.err;
  EXPECT_EQ(sent.out.rfind("pwned"), std::string::npos) << sent.out;
  EXPECT_NE(sent.err.find("a tmux session in which bash runs, and no agent that is known"), std::string::npos)
      << sent.err;
  for (const auto* who : {"build", "ops2"})
    EXPECT_NE(why(who).find("nothing is typed into its terminal"), std::string::npos) << why(who);
  EXPECT_NE(why("build").find("a shell, which would run what is typed"), std::string::npos) << why("build");
}

TEST_F(Doors, SessionsAreListedWithWhatTheyAre) {
  tmux.start_session("build", "bash --norc -i");
  const auto script = town.folder() / "claude";
  std::filesystem::create_symlink("/bin/sleep", script);
  tmux.start_session("coder", cat("exec ", script.string(), " 600"));
  std::map<std::string, std::string> listed;
  for (const auto& entry : items_of(town.json({"mail", "directory"}, tmux.variables())))
    if (text_at(entry, "type") == "tmux session") listed[text_at(entry, "address")] = text_at(entry, "description");
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed["build"], "bash runs in it, no agent; a person may write to it");
  EXPECT_EQ(listed["coder"], "claude runs in it; registered by its first mail");
  town.agents({"evil"});
  EXPECT_EQ(town.gt({"mail", "send", "coder", "-s", "Hi", "-m", "x", "--as", "evil"}, tmux.variables()).exit_code, 0);
  EXPECT_EQ(text_at(town.json({"agent", "show", "coder"}), "session"), tmux.uri("coder"));
}

TEST_F(Doors, OnlyAPersonSaysWhatRunsInATerminal) {
  town.agents({"evil"});
  const auto pane = tmux.start_session("desk", "exec cat");
  ASSERT_EQ(shell("until [ \"$(tmux display-message -p -t %0 '#{pane_current_command}')\" = cat ]; do sleep 0.05; done")
                .exit_code,
            0);
  const Words raw = {"agent", "add", "evil", "--session", "tmux:" + pane, "--harness", "raw"};
  auto as_evil = tmux.variables();
  as_evil["MAIL_IDENTITY"] = "evil";
  EXPECT_EQ(town.gt(raw, as_evil).exit_code, 5);
  EXPECT_EQ(town.gt(raw, tmux.variables()).exit_code, 5) << "a script says who it speaks for";
  EXPECT_EQ(text_at(town.json(with(raw, {"--as", "overseer"}), tmux.variables()), "harness"), "raw:cat");
  EXPECT_EQ(text_at(town.json({"agent", "add", "evil", "--session", "tmux:other"}, tmux.variables()), "harness"), "")
      << "it was said of another terminal";
  EXPECT_EQ(town.gt({"agent", "add", "evil", "--session", "tmux:x", "--harness", "raw:bash", "--as", "overseer"},
                    tmux.variables())
                .exit_code,
            5);
  EXPECT_EQ(
      town.gt({"agent", "add", "evil", "--session", "tmux:x", "--harness", "raw", "--as", "overseer"}, tmux.variables())
          .exit_code,
      2);
  EXPECT_EQ(town.gt({"agent", "add", "evil", "--session", "tmux:x", "--harness", "cluade", "--as", "overseer"},
                    tmux.variables())
                .exit_code,
            4);
  EXPECT_EQ(town.gt({"agent", "add", "evil", "--session", "opencode:http://127.0.0.1:1#s", "--harness", "raw", "--as",
                     "overseer"})
                .exit_code,
            2);
}

TEST_F(Doors, APaneIsKnownWithItsServer) {
  const auto pane = tmux.start_session("work");
  town.json({"agent", "add", "alice", "--session", "tmux:" + pane, "--harness", "raw:cat", "--as", "overseer"},
            tmux.variables());
  EXPECT_EQ(text_at(town.json({"agent", "show", "alice"}), "session"), tmux.uri(pane));
  const auto told = town.gt({"nudge", "alice", "hello from outside", "--wait", "30s"});
  EXPECT_EQ(told.exit_code, 0) << told.out << told.err << "whatever the environment of whoever nudges says";
  tmux.end();
  ASSERT_EQ(tmux.start_session("payroll"), pane) << "the same number";
  const auto waits = town.gt({"nudge", "alice", "not for payroll"});
  EXPECT_EQ(waits.exit_code, 0);
  EXPECT_NE(why("alice").find("is not the one that was registered"), std::string::npos) << why("alice");
  EXPECT_EQ(tmux.tmux({"capture-pane", "-p", "-t", pane}).out.find("payroll"), std::string::npos);
}

TEST_F(Doors, ASessionsNameNeverBecomesACommand) {
  const auto started = shell(R"sh(
    "$GT" agent add coder --start 'echo started >started' --resume 'printf %s {session} >resumed' --on nudge -q
    signal() {
      printf '{"hook_event_name":"%s","session_id":"%s"}' "$1" "$2" | MAIL_IDENTITY=coder "$GT" signal claude "$1"
    }
    signal SessionStart 'x; touch pwned'; signal SessionEnd 'x; touch pwned'
    signal SessionStart s-1.a_B; signal SessionEnd '$(touch pwned)'; signal SessionEnd s-1.a_B
    "$GT" nudge coder go -q
    "$GT" up --detach -q
    until [ -s resumed ] || [ -e started ]; do sleep 0.05; done
    "$GT" down -q
    cat resumed; ls pwned
  )sh");
  EXPECT_NE(started.out.find("s-1.a_B"), std::string::npos) << started.out << started.err;
  EXPECT_EQ(started.out.find("pwned"), std::string::npos) << started.out;
  EXPECT_EQ(town.json({"status"}).at("hook_errors").as_int64(), 3) << "each refused event is told of";
}

TEST_F(Doors, AFileThatAnotherHostLeftBlocksNobodyAndKillsNobody) {
  const auto told = shell(R"sh(
    sleep 600 & stranger=$!
    for name in watcher "watcher-$(hostname | tr -c 'A-Za-z0-9\n' -)"; do
      echo "$stranger.1@old-container" >".town/run/$name"
    done
    "$GT" status --json | grep -o '"watching":[a-z]*'
    "$GT" down; echo "down $?"
    "$GT" up --detach -q; echo "up $?"
    "$GT" status --json | grep -o '"watching":[a-z]*'
    "$GT" up; echo "second $?"
    "$GT" down; echo "down $?"
    kill -0 $stranger && echo stranger lives; kill $stranger
  )sh");
  EXPECT_NE(told.out.find("\"watching\":false\n"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("down 1\n"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("up 0\n"), std::string::npos) << told.out << told.err;
  EXPECT_NE(told.out.find("\"watching\":true\n"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("second 5\n"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("down 0\n"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("stranger lives"), std::string::npos) << told.out;
}

TEST_F(Doors, APipeAsTranscriptStopsNeitherAHookNorTheWatcher) {
  const auto told = shell(R"sh(
    mkfifo pipe .gt-agent
    signal() {
      printf '{"hook_event_name":"%s","session_id":"s1","transcript_path":"%s"}' "$1" "$PWD/pipe" |
        MAIL_IDENTITY=coder timeout 60 "$GT" signal claude "$1"; echo "$1 $?"
    }
    signal SessionStart; "$GT" nudge coder go -q; signal Stop; signal UserPromptSubmit; signal SessionEnd
    "$GT" up --detach -q; timeout 60 "$GT" down; echo "down $?"
    timeout 60 "$GT" whoami
  )sh");
  for (const auto* line : {"SessionStart 0", "Stop 0", "UserPromptSubmit 0", "SessionEnd 0", "down 0", "overseer"})
    EXPECT_NE(told.out.find(line), std::string::npos) << line << "\n" << told.out << told.err;
}

TEST_F(Doors, WhatASupervisedAgentLeavesBehindStaysBelowItAndEndsWithIt) {
  const auto told = shell(R"sh(
    "$GT" agent add coder -q
    cat >agent <<'END'
(setsid sh -c 'until [ -e orphaned ]; do sleep 0.05; done
  ps -o ppid= -p $$ | tr -d " " >parent; env -u MAIL_IDENTITY -u GT_ROLE "$GT" whoami >who 2>&1
  (sleep 0.01 &) ; echo $$ >orphan; exec sleep 600' &)
touch orphaned
until [ -s orphan ]; do sleep 0.05; done
echo $PPID >supervisor
END
    "$GT" agent run --as coder -- sh agent; echo "ended $?"
    [ "$(cat parent)" = "$(cat supervisor)" ] && echo stayed below
    cat who
    kill -0 "$(cat orphan)" 2>/dev/null && echo still there
  )sh");
  EXPECT_NE(told.out.find("ended 0"), std::string::npos) << told.out << told.err;
  EXPECT_NE(told.out.find("stayed below"), std::string::npos) << told.out << told.err;
  EXPECT_NE(told.out.find("coder (pane)"), std::string::npos) << told.out;
  EXPECT_EQ(told.out.find("still there"), std::string::npos) << told.out;
}

}  // namespace
}  // namespace townpost
