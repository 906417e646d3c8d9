// Agents in real tmux panes, on a server of their own.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/expect.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

class Pane : public testing::Test {
 protected:
  Pane() {
    town.agents({"alice", "bob"});
    pane = tmux.start_session("work");
    town.json({"agent", "add", "alice", "--session", "tmux:" + pane, "--harness", "raw:cat", "--as", "overseer"},
              tmux.variables());
  }
  ProcessOutput inside(const Words& words, const Variables& variables = {}) {
    return tmux.gt_in_pane(pane, words, variables);
  }

  TestTown town;
  TmuxServer tmux{town};
  std::string pane;
};

TEST_F(Pane, SpeaksAsTheAgentRegisteredForIt) {
  EXPECT_EQ(inside({"whoami"}).out, "alice (pane)\n");
  const auto sent = inside({"mail", "send", "-m", "", "bob", "-s", "From the pane", "-q"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  const auto mail = read_as(town, "bob", std::string(trim(sent.out)));
  EXPECT_EQ(text_at(mail, "from"), "alice");
  EXPECT_EQ(text_at(mail, "from_grade"), "pane");
}

TEST_F(Pane, ThatIsNotRegisteredIsTheHumans) {
  const auto other = tmux.start_session("elsewhere");
  EXPECT_EQ(tmux.gt_in_pane(other, {"whoami"}).out, "overseer (env)\n");
}

TEST_F(Pane, OfARegisteredSessionNameSpeaksAsItsAgent) {
  const auto other = tmux.start_session("bobs-desk");
  town.json({"agent", "add", "bob", "--session", "tmux:bobs-desk"}, tmux.variables());
  EXPECT_EQ(tmux.gt_in_pane(other, {"whoami"}).out, "bob (pane)\n");
}

TEST_F(Pane, MayNotSpeakAsAnotherOrAsTheHuman) {  // K004
  const auto before = town.dump();
  for (const auto* other : {"bob", "overseer", "mayor/"}) {
    const auto by_flag = inside({"mail", "send", "-m", "", "bob", "-s", "Forged", "--as", other});
    EXPECT_EQ(by_flag.exit_code, 5) << other << ": " << by_flag.out;
    EXPECT_NE(by_flag.err.find("alice"), std::string::npos) << by_flag.err;
    const auto by_environment =
        inside({"mail", "send", "-m", "", "bob", "-s", "Forged", "--json"}, {{"MAIL_IDENTITY", other}});
    EXPECT_EQ(by_environment.exit_code, 5) << other << ": " << by_environment.out;
    const auto error = parse_json(by_environment.out);
    ASSERT_TRUE(error.has_value()) << by_environment.out;
    EXPECT_EQ(text_at(value_at(*error, "error"), "code"), "forbidden");
  }
  EXPECT_EQ(inside({"whoami"}, {{"GT_ROLE", "mayor"}}).exit_code, 5) << "GT_ROLE contradicts the pane";
  EXPECT_EQ(town.dump(), before);
}

TEST_F(Pane, IsToldOfMailThoughNobodyWatches) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  const auto told = town.shell(R"sh(
    tmux respawn-pane -k -t "$PANE" "exec cat >'$PWD/typed'"
    until [ -e typed ]; do sleep 0.05; done
    "$GT" agent add alice --session "tmux:$PANE" --harness raw:cat --as overseer -q >/dev/null 2>&1
    "$GT" mail send alice -s "The build is red" -m "since noon" --json
    until grep -q "The build is red" typed; do sleep 0.05; done
  )sh",
                               variables);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const auto recipient = items_of(value_at(parse_json(told.out).value(), "recipients")).at(0);
  EXPECT_EQ(text_at(recipient, "state"), "queued");
  EXPECT_EQ(text_at(recipient, "reason"), cat("it is carried to ", tmux.uri(pane)));
  EXPECT_TRUE(text_at(recipient, "nudge_id").starts_with("hq-n-")) << told.out;
}

TEST_F(Pane, SpeaksForItsAgentWhateverItsEnvironmentSays) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  const auto said = town.shell(R"sh(
    tmux respawn-pane -k -c "$PWD" -t "$PANE" "until [ -e go ]; do sleep 0.05; done
      env -u TMUX -u TMUX_PANE '$GT' whoami >who 2>&1; '$GT' hold --all --as overseer >hold 2>&1; echo \$? >code; exec cat"
    "$GT" agent add alice --session "tmux:$PANE" -q
    touch go
    until [ -s code ]; do sleep 0.05; done
    cat who code
  )sh",
                               variables);
  EXPECT_EQ(said.out.substr(said.out.find("alice (")), "alice (pane)\n5\n") << said.out << said.err;
}

TEST_F(Pane, ThatAnAgentRegistersByItsSessionIsTheOneItIsInOnly) {
  auto variables = tmux.variables();
  const auto said = town.shell(R"sh(
    tmux new-session -d -s desk -c "$PWD" "'$GT' agent run --as bob -- sh -c \"'$GT' agent add bob --session tmux:desk; touch added; exec cat\""
    until [ -e added ]; do sleep 0.05; done
    tmux new-window -d -t desk -c "$PWD" "'$GT' whoami >who; touch told; exec cat"
    until [ -e told ]; do sleep 0.05; done
    cat who
    tmux kill-session -t desk
  )sh",
                               variables);
  EXPECT_EQ(said.out, "overseer (env)\n") << said.err;
}

TEST_F(Pane, WhereAPersonMaySitIsNotGivenAwayByACoordinator) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  variables["GT_ROLE"] = "mayor";
  const auto said = town.shell(R"sh(
    tmux respawn-pane -k -t "$PANE" "exec sh"
    "$GT" agent add bob --session "tmux:$PANE"; echo $?
  )sh",
                               variables);
  EXPECT_EQ(said.out, "5\n") << said.err;
  EXPECT_NE(said.err.find("a person may sit there"), std::string::npos) << said.err;
}

TEST_F(Pane, IsNobodysOnceAPersonPointsItsAgentElsewhere) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  const auto said = town.shell(R"sh(
    tmux respawn-pane -k -c "$PWD" -t "$PANE" "until [ -e go ]; do sleep 0.05; done
      '$GT' whoami >before; touch asked; until [ -e moved ]; do sleep 0.05; done; '$GT' whoami >after; touch told; exec cat"
    "$GT" agent add alice --session "tmux:$PANE" -q
    touch go; until [ -e asked ]; do sleep 0.05; done
    "$GT" agent add alice --session tmux:elsewhere -q
    touch moved; until [ -e told ]; do sleep 0.05; done
    cat before after
  )sh",
                               variables);
  EXPECT_EQ(said.out.substr(said.out.find("alice (")), "alice (pane)\noverseer (env)\n") << said.out << said.err;
}

TEST_F(Pane, ThatIsAPersonsOwnIsGivenAwayWithAWarning) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  const auto said = town.shell(R"sh(
    "$GT" agent add alice --session none -q --as overseer 2>/dev/null
    tmux respawn-pane -k -c "$PWD" -t "$PANE" "'$GT' agent add alice --session tmux:\$TMUX_PANE 2>given
      '$GT' agent add alice --session none 2>refused; touch told; exec cat"
    until [ -e told ]; do sleep 0.05; done
    cat given refused
  )sh",
                               variables);
  EXPECT_NE(said.out.find("this is your own terminal"), std::string::npos) << said.out << said.err;
  EXPECT_NE(said.out.find("\ngt agent add alice --session none\n"), std::string::npos) << said.out;
}

TEST_F(Pane, ThatItsAgentHasLeftIsNotTypedInto) {
  auto variables = tmux.variables();
  variables["PANE"] = pane;
  const auto typed = town.shell(R"sh(
    printf '#!/bin/sh\nuntil [ -e leave ]; do sleep 0.05; done\n' >claude; chmod +x claude
    tmux respawn-pane -k -c "$PWD" -t "$PANE" "touch here; ./claude; touch left; exec sh"
    until [ -e here ]; do sleep 0.05; done
    "$GT" agent add alice --session "tmux:$PANE" -q
    "$GT" nudge alice "while it is there" -q
    touch leave
    until [ -e left ]; do sleep 0.05; done
    "$GT" nudge alice "touch pwned" -q
    "$GT" nudge list --agent alice --state queued -q | wc -l
    tmux capture-pane -p -t "$PANE" | grep -c pwned
    ls pwned 2>/dev/null
    "$GT" nudge explain "$("$GT" nudge list --agent alice -q | head -n 1)"
  )sh",
                                variables);
  const auto lines = split(typed.out, '\n');
  ASSERT_GE(lines.size(), 5U) << typed.out << typed.err;
  EXPECT_EQ(trim(lines[3]), "2") << typed.out << "both wait";
  EXPECT_EQ(trim(lines[4]), "0") << typed.out << "nothing was typed";
  EXPECT_NE(typed.out.find("it is not running"), std::string::npos) << typed.out;
}

TEST_F(Pane, MayNameItself) {
  EXPECT_EQ(inside({"whoami", "--as", "alice"}).out, "alice (pane)\n");
  EXPECT_EQ(inside({"whoami"}, {{"MAIL_IDENTITY", "alice"}}).out, "alice (pane)\n");
}

TEST(LiveSession, OfABareNameIsRegisteredByBeingWrittenTo) {
  const TestTown town;
  TmuxServer tmux(town);
  const auto pane = tmux.start_session("backend");
  const auto sent = town.json({"mail", "send", "-m", "", "backend", "-s", "Hi"}, tmux.variables());
  EXPECT_EQ(texts_in(value_at(sent, "recipients"), "address"), std::vector<std::string>{"backend"});
  EXPECT_EQ(text_at(town.json({"agent", "show", "backend"}), "session"), tmux.uri("backend"));
  EXPECT_EQ(tmux.gt_in_pane(pane, {"mail", "inbox", "-q"}).out, text_at(sent, "id") + "\n");
}

TEST(LiveSession, IsMeantByItsWholeNameOnly) {
  const TestTown town;
  TmuxServer tmux(town);
  tmux.start_session("backend");
  expect_refused_untouched(town, {"mail", "send", "-m", "", "back", "-s", "Hi"}, {4, "not_found", "back"},
                           tmux.variables());
  expect_refused_untouched(town, {"mail", "send", "-m", "", "agent:backend", "-s", "Hi"}, {4, "not_found", "backend"},
                           tmux.variables());
}

TEST(LiveSession, ThatIsGoneIsAnUnknownName) {
  const TestTown town;
  {
    TmuxServer tmux(town);
    tmux.start_session("backend");
  }
  expect_refused_untouched(town, {"mail", "send", "-m", "", "backend", "-s", "Hi"}, {4, "not_found", "backend"},
                           {{"TMUX_TMPDIR", town.folder().string()}});
}

TEST(LiveSession, InWhichAPersonTypesIsNoAgents) {
  const TestTown town;
  TmuxServer tmux(town);
  const auto pane = tmux.start_session("human");
  const auto status = tmux.gt_in_pane(pane, {"status"});
  EXPECT_EQ(status.out.find("human is not registered"), std::string::npos) << status.out;
  const auto sent = tmux.gt_in_pane(pane, {"mail", "send", "human", "-s", "Hi", "-m", "text"});
  EXPECT_EQ(sent.exit_code, 4) << sent.out << sent.err;
  EXPECT_EQ(town.gt({"agent", "show", "human"}).exit_code, 4);
}

}  // namespace
}  // namespace townpost
