// `gt attach` and `gt agent peek`: to the pane of an agent, in real tmux servers.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/terminal.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

class Attach : public testing::Test {
 protected:
  Attach() {
    town.agents({"alice", "bob"});
    desk = tmux.start_session("desk");
    register_in("alice", "tmux:" + desk);
  }
  void register_in(const std::string& agent, const std::string& session) const {
    town.json({"agent", "add", agent, "--session", session, "--as", "overseer"}, tmux.variables());
  }
  ProcessOutput attach(Words words) const {
    words.insert(words.begin(), {"attach", "--as", "overseer"});
    return town.gt(words, tmux.variables());
  }
  std::string socket() const {
    const auto uri = tmux.uri("x");
    return uri.substr(std::string_view("tmux:").size(), uri.size() - std::string_view("tmux:/x").size());
  }

  TestTown town;
  TmuxServer tmux{town};
  std::string desk;
};

TEST_F(Attach, PrintsTheCommandForTheServerThatThePaneIsOn) {
  const auto out = attach({"alice", "--print"});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_EQ(out.out, cat("tmux -S ", socket(), " select-window -t ", desk, " ';' select-pane -t ", desk,
                         " ';' attach-session -t ", desk, "\n"));
  const auto json = town.json({"attach", "alice", "--print", "--as", "overseer"}, tmux.variables());
  EXPECT_EQ(text_at(json, "pane"), desk);
  EXPECT_EQ(text_at(json, "session"), "desk");
  EXPECT_EQ(text_at(json, "did"), "printed");
}

TEST_F(Attach, AttachesATerminalOutsideOfTmux) {
  auto variables = tmux.variables();
  variables["PANE"] = desk;
  variables["ME"] = "overseer";
  // Whoever is attached is seen by the server, and sent away.
  const auto told = town.shell(R"sh(
    export TERM=xterm-256color; mkfifo keys
    script -qec "$GT attach alice --as overseer" seen <keys >/dev/null 2>&1 &
    exec 3>keys
    until tmux list-clients -F '#{pane_id}' 2>/dev/null | grep -qx "$PANE"; do sleep 0.05; done
    tmux detach-client -s desk
    wait
    tail -n 3 seen
  )sh",
                               variables);
  EXPECT_NE(told.out.find("you are back from alice"), std::string::npos) << told.out << told.err;
}

TEST_F(Attach, SwitchesTheClientThatAsksInsideOfTheSameServer) {
  auto variables = tmux.variables();
  variables["PANE"] = desk;
  const auto told = town.shell(R"sh(
    tmux new-window -d -t desk "exec cat"
    tmux select-window -t desk:1
    tmux new-session -d -s client -x 100 -y 30 -c "$PWD" \
      "until [ -e go ]; do sleep 0.05; done; '$GT' attach alice --as overseer >said 2>&1; echo \$? >code; exec cat"
    export TERM=xterm-256color; mkfifo keys
    script -qec "tmux attach -t client" /dev/null <keys >/dev/null 2>&1 &
    exec 3>keys
    until tmux list-clients -F '#{session_name}' 2>/dev/null | grep -qx client; do sleep 0.05; done
    touch go
    until [ -s code ]; do sleep 0.05; done
    cat said code
    tmux list-clients -F '#{session_name} #{pane_id}'
    tmux detach-client -s desk; wait
  )sh",
                               variables);
  EXPECT_EQ(told.out, cat("your tmux client shows alice (", desk, ")\n0\ndesk ", desk, "\n")) << told.err;
}

TEST_F(Attach, LeavesAnotherServerToGetThere) {
  auto variables = tmux.variables();
  variables["PANE"] = desk;
  const auto told = town.shell(R"sh(
    tmux -L other -f /dev/null new-session -d -s elsewhere -x 100 -y 30 -c "$PWD" \
      "'$GT' attach alice --as overseer >said 2>said; echo \$? >code; exec cat"
    until tmux list-clients -F '#{pane_id}' 2>/dev/null | grep -qx "$PANE"; do sleep 0.05; done
    tmux detach-client -s desk
    until [ -s code ]; do sleep 0.05; done
    cat code
    tmux -L other kill-server
  )sh",
                               variables);
  EXPECT_EQ(told.out, "0\n") << told.err;
}

TEST_F(Attach, SaysWhoIsNotRunningAndHowToStartIt) {
  const auto out = attach({"bob"});
  EXPECT_EQ(out.exit_code, 4);
  EXPECT_EQ(out.err, "gt: bob is not running; gt start bob starts it\n");
}

TEST_F(Attach, RefusesAPaneThatIsAnothersByNow) {
  ASSERT_EQ(tmux.tmux({"respawn-pane", "-k", "-t", desk, "exec cat"}).exit_code, 0);
  const auto out = attach({"alice", "--print"});
  EXPECT_EQ(out.exit_code, 5) << out.out;
  EXPECT_NE(out.err.find("is not the one that was registered"), std::string::npos) << out.err;
}

TEST_F(Attach, SaysThatAPaneIsGone) {
  (void)tmux.start_session("other");
  ASSERT_EQ(tmux.tmux({"kill-session", "-t", "desk"}).exit_code, 0);
  const auto out = attach({"alice", "--print"});
  EXPECT_EQ(out.exit_code, 4) << out.out;
}

TEST_F(Attach, NeedsATerminalUnlessItPrintsOnly) {
  const auto out = attach({"alice"});
  EXPECT_EQ(out.exit_code, 5) << out.out;
  EXPECT_NE(out.err.find("gt attach alice --print"), std::string::npos) << out.err;
}

TEST_F(Attach, IsForPeople) {
  const auto out = town.gt({"attach", "alice", "--print", "--as", "bob"}, tmux.variables());
  EXPECT_EQ(out.exit_code, 5) << out.out;
}

TEST_F(Attach, NobodyGoesToThePersonsOwnMailbox) {
  const auto out = attach({"overseer", "--print"});
  EXPECT_EQ(out.exit_code, 5) << out.out;
  EXPECT_NE(out.err.find("is not an agent"), std::string::npos) << out.err;
}

TEST_F(Attach, PeekShowsWhatThePaneShowsAndObeysNothingInIt) {
  auto variables = tmux.variables();
  variables["PANE"] = desk;
  const auto told = town.shell(R"sh(
    tmux new-session -d -s talk -x 80 -y 20 "printf 'first\nsecond \033[1mbold\033[0m\n\n\nlast'; touch printed; exec cat"
    until [ -e printed ]; do sleep 0.05; done
    until tmux capture-pane -p -t talk: | grep -q last; do sleep 0.05; done
    "$GT" agent add bob --session tmux:talk --as overseer -q >/dev/null 2>&1
    "$GT" agent peek bob --as overseer
    echo --
    "$GT" agent peek bob -n 2 --as overseer
  )sh",
                               variables);
  EXPECT_EQ(told.out, "first\nsecond bold\n\n\nlast\n--\nsecond bold\nlast\n") << told.err;
  const auto mayor = town.gt({"agent", "peek", "bob", "--as", "mayor/"}, variables);
  EXPECT_EQ(mayor.exit_code, 5) << mayor.out;
  EXPECT_NE(mayor.err.find("so a person may sit there"), std::string::npos) << mayor.err;
}

}  // namespace
}  // namespace townpost
