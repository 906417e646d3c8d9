// Agents' sessions from outside: where they live, what becomes of them, and which town is theirs.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "base/process_tree.h"
#include "base/text.h"
#include "cli/expect.h"
#include "support/await.h"
#include "support/tmux_server.h"

namespace townpost {
namespace {

bool runs(int pid) { return look_at(pid).has_value() && !is_zombie(pid); }

class Session : public testing::Test {
 protected:
  /// A program in the town's folder that passes for an agent's, by its name.
  void make_agent_program(const std::string& script) const {
    const auto program = town.folder() / "claude";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  }
  std::string text_in(const std::string& file) const {
    return std::string(trim(read_file(town.folder() / file).value_or("")));
  }
  Json status_of(const std::string& address) const {
    for (const auto& agent : items_of(value_at(town.json({"status"}), "agents")))
      if (text_at(agent, "address") == address) return agent;
    throw std::runtime_error("gt status does not know " + address);
  }
  /// What coder's program wrote to `said` before its supervisor was killed.
  std::string left_by_supervisor(const std::string& program) const {
    return town
        .shell(R"sh(
      "$GT" agent run --as coder --adapter lines -- sh -c "$PROGRAM" </dev/null >/dev/null 2>&1 &
      until [ -s said ] && "$GT" status --json | grep -q '"pid"'; do sleep 0.05; done
      kill -9 $!
      wait $! 2>/dev/null
      cat said
    )sh",
               {{"PROGRAM", program}})
        .out;
  }
  const TestTown town;
};

TEST_F(Session, ThatLivesInTmuxIsListedThoughNobodyHasWrittenToIt) {  // adj-009.4
  TmuxServer tmux(town);
  tmux.start_session("painter");
  const auto addresses = [&](const Json& list) { return texts_in(list, "address"); };
  const auto holds = [](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), "painter") != list.end();
  };
  EXPECT_TRUE(holds(addresses(town.json({"mail", "directory"}, tmux.variables()))));
  EXPECT_TRUE(holds(addresses(town.json({"agent", "list"}, tmux.variables()))));
  EXPECT_TRUE(holds(addresses(value_at(town.json({"status"}, tmux.variables()), "sessions"))));
  EXPECT_NE(town.gt({"status"}, tmux.variables()).out.find("painter is not registered (cat runs in it"),
            std::string::npos);
  EXPECT_EQ(town.gt({"agent", "show", "painter"}).exit_code, 4) << "looking registers nobody";
  town.json({"mail", "send", "painter", "-s", "Hi", "-m", ""}, tmux.variables());
  const auto listed = items_of(town.json({"agent", "list"}, tmux.variables()));
  EXPECT_EQ(std::count_if(listed.begin(), listed.end(),
                          [](const Json& agent) { return text_at(agent, "address") == "painter"; }),
            1);
  EXPECT_EQ(items_of(value_at(town.json({"status"}, tmux.variables()), "sessions")).size(), 0U) << "it is an agent now";
}

TEST_F(Session, OfAnAgentProgramInTmuxHasTheNameOfThat) {  // seed 004, R-004-7
  make_agent_program(cat("'", gt_program(), "' whoami >who 2>&1; touch told; exec cat"));
  TmuxServer tmux(town);
  tmux.tmux({"new-session", "-d", "-s", "sculptor", "-c", town.folder().string(), "./claude"});
  await("it is told", [&] { return std::filesystem::exists(town.folder() / "told"); });
  EXPECT_NE(text_in("who").find("sculptor (pane)"), std::string::npos) << text_in("who");
}

TEST_F(Session, KeepsItsTownWhereverItsToolsGo) {
  make_agent_program(cat("cd / && '", gt_program(), "' whoami >\"$HERE/who\" 2>&1; touch \"$HERE/told\"; :"));
  town.shell("HERE=$PWD MAIL_IDENTITY=coder ./claude");
  EXPECT_EQ(text_in("who"), "coder (pane)");
}

TEST_F(Session, KeepsItsTownAlsoWhereThereIsAnother) {
  const TestTown other;
  make_agent_program(cat("'", gt_program(), "' whoami >/dev/null; cd \"$OTHER\" && '", gt_program(),
                         "' mail send overseer -s \"from afar\" -m hi 2>\"$HERE/error\"; :"));
  town.shell("HERE=$PWD ./claude", {{"OTHER", other.folder().string()}});
  EXPECT_EQ(texts_in(town.json({"mail", "inbox"}), "subject"), std::vector<std::string>{"from afar"})
      << text_in("error");
  EXPECT_EQ(items_of(other.json({"mail", "inbox"})).size(), 0U);
}

TEST_F(Session, IsHeardByTheHooksOfItsProjectWhereverItWorks) {
  make_agent_program(cat("say() { printf '{\"session_id\":\"s1\",\"hook_event_name\":\"%s\",\"cwd\":\"/\"}' \"$1\" | '",
                         gt_program(),
                         "' signal claude \"$1\"; }; cd /; say SessionStart; say Stop >\"$HERE/shown\"; :"));
  const Variables variables = {{"MAIL_IDENTITY", "coder"}, {"CLAUDE_PROJECT_DIR", town.folder().string()}};
  town.agents({"coder"});
  town.json({"nudge", "coder", "look", "--mode", "queue"});
  town.shell("export HERE=$PWD; cd / && \"$HERE/claude\"", variables);
  EXPECT_EQ(text_at(status_of("coder"), "incarnation"), "s1");
}

TEST_F(Session, OfANewAgentIsRegisteredByAgentRun) {
  EXPECT_EQ(town.gt({"agent", "run", "--as", "newcomer", "--", "true"}).exit_code, 0);
  EXPECT_EQ(text_at(town.json({"agent", "show", "newcomer"}), "address"), "newcomer");
  EXPECT_EQ(town.gt({"agent", "run", "--as", "norig/polecats/x", "--", "true"}).exit_code, 4);
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "another"}).exit_code, 4) << "elsewhere --as registers nobody";
}

TEST_F(Session, OfLinesIsStartingUntilItSaysThatItIsIdle) {
  town.agents({"coder"});
  town.shell(R"sh("$GT" agent run --as coder --adapter lines -- \
    sh -c 'until [ -e ready ]; do sleep 0.05; done; echo "{\"type\":\"idle\"}"; exec sleep 600' \
    </dev/null >/dev/null 2>&1 & echo $! >supervisor)sh");
  await("it runs", [&] { return text_at(status_of("coder"), "state") == "starting"; });
  town.json({"nudge", "coder", "look", "--mode", "queue"});
  const auto why = town.gt({"why", "coder"}).out;
  EXPECT_NE(why.find("it has not said yet that it is idle"), std::string::npos) << why;
  std::ofstream(town.folder() / "ready") << "yes\n";
  await("it is idle", [&] { return text_at(status_of("coder"), "state") != "starting"; });
  ::kill(std::stoi(read_file(town.folder() / "supervisor").value()), SIGTERM);
  await("it has ended", [&] { return text_at(status_of("coder"), "state") == "exited"; });
}

TEST_F(Session, EndsWithItsSupervisorThoughThatIsKilled) {
  const int program = std::stoi(left_by_supervisor("echo $$ >said; exec sleep 600"));
  await("the program ends", [&] { return !runs(program); });
  EXPECT_EQ(text_at(status_of("coder"), "state"), "exited");
}

TEST_F(Session, ThatOutlivesItsSupervisorIsToldOfAndStandsInTheWayOfASecondOne) {
  const int program = std::stoi(left_by_supervisor("trap '' TERM; echo $$ >said; while :; do sleep 1; done"));
  ASSERT_TRUE(runs(program));
  const auto told = cat("its supervisor is gone; process ", program, " still runs without it");
  EXPECT_EQ(text_at(status_of("coder"), "detail"), told);
  EXPECT_NE(town.gt({"status"}).out.find(told), std::string::npos);
  EXPECT_NE(town.gt({"why", "coder"}).out.find(told), std::string::npos);
  const auto second = town.gt({"agent", "run", "--as", "coder", "--", "true"});
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_NE(second.err.find(cat("kill ", program)), std::string::npos) << second.err;
  ::kill(program, SIGKILL);
  await("the program ends", [&] { return !runs(program); });
  EXPECT_EQ(town.gt({"agent", "run", "--as", "coder", "--", "true"}).exit_code, 0);
}

TEST_F(Session, IsNotLeftBehindWhereAnotherAgentSaysSo) {
  town.agents({"evil"});
  left_by_supervisor("echo TOWNPOST_RUN=$TOWNPOST_RUN >said; exec sleep 600");
  town.shell(R"sh(
    "$GT" agent run --as evil --adapter lines -- env "$(cat said)" sh -c 'echo $$ >forged; exec sleep 600' \
      </dev/null >/dev/null 2>&1 &
    echo $! >evil
    until [ -s forged ]; do sleep 0.05; done
  )sh");
  await("coder has exited", [&] { return text_at(status_of("coder"), "state") == "exited"; });
  EXPECT_EQ(town.gt({"agent", "run", "--as", "coder", "--", "true"}).exit_code, 0);
  ::kill(std::stoi(read_file(town.folder() / "evil").value()), SIGTERM);
  const int forged = std::stoi(read_file(town.folder() / "forged").value());
  await("evil's program ends", [&] { return !runs(forged); });
}

TEST_F(Session, ThatIsWrappedIsNeverLeftBehindUnnoticed) {  // the wrapper shares its supervisor's fate, and no other
  const int program = std::stoi(left_by_supervisor("sleep 600 & echo $! >said; wait"));
  ASSERT_TRUE(runs(program));
  const auto told = cat("its supervisor is gone; process ", program, " still runs without it");
  await("the wrapper ends", [&] { return text_at(status_of("coder"), "detail") == told; });
  EXPECT_NE(town.gt({"why", "coder"}).out.find(told), std::string::npos);
  const auto nudge = town.json({"nudge", "coder", "look"}).at(0);
  EXPECT_EQ(text_at(nudge, "state"), "queued");
  EXPECT_NE(text_at(nudge, "note").find("its supervisor is gone"), std::string::npos) << text_at(nudge, "note");
  const auto second = town.gt({"agent", "run", "--as", "coder", "--", "true"});
  EXPECT_EQ(second.exit_code, 5);
  EXPECT_NE(second.err.find(cat("kill ", program)), std::string::npos) << second.err;
  ::kill(program, SIGKILL);
  await("the program ends", [&] { return !runs(program); });
  EXPECT_EQ(text_at(status_of("coder"), "state"), "exited");
  EXPECT_EQ(town.gt({"agent", "run", "--as", "coder", "--", "true"}).exit_code, 0);
}

TEST_F(Session, IsToldOfSeveralMailsOfAPersonInTwoGoes) {  // seed 004, Q5
  TmuxServer tmux(town);
  const auto pane = tmux.start_session("work", cat("sh -c 'exec cat >", (town.folder() / "typed").string(), "'"));
  await("it starts", [&] { return std::filesystem::exists(town.folder() / "typed"); });
  town.agents({"coder"});
  town.json({"agent", "add", "coder", "--session", "tmux:" + pane, "--harness", "raw:cat", "--as", "overseer"},
            tmux.variables());
  for (const auto* subject : {"first", "second", "third", "fourth"}) {
    town.json({"mail", "send", "coder", "-s", subject, "-m", subject}, tmux.variables());
    await("the first is typed", [&] { return text_in("typed").find("first") != std::string::npos; });
  }
  await("the fourth is typed", [&] { return text_in("typed").find("fourth") != std::string::npos; });
  const auto typed = text_in("typed");
  const auto last = typed.find("3 new messages");
  ASSERT_NE(last, std::string::npos) << typed;
  EXPECT_LT(typed.find("\"first\""), last);
  EXPECT_GT(typed.find("\"second\""), last) << typed;
}

TEST_F(Session, IsNudgedWithAKindThatTheFirstWordTells) {  // F11
  town.agents({"coder"});
  for (const auto* text : {"DOG_DONE: sweep success", "HEALTH_CHECK", "TIMER: 5m", "hello"})
    town.json({"nudge", "coder", text});
  EXPECT_EQ(texts_in(town.json({"nudge", "list", "--agent", "coder"}), "kind"),
            (std::vector<std::string>{"text", "timer", "health_check", "dog_done"}));
}

}  // namespace
}  // namespace townpost
