// What must hold in every version of Claude Code that is supported, with the oldest one and the newest.
#include <chrono>
#include <filesystem>
#include <thread>

#include "agents/claude_pane.h"
#include "agents/claude_town.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/session_doors.h"

namespace townpost {

namespace {

namespace fs = std::filesystem;

class EveryClaude : public ClaudeOfEachVersion {
 protected:
  EveryClaude() { install_hooks(); }

  std::unique_ptr<ClaudePane> open(const std::string& session = "claude", const Words& arguments = {}) const {
    return std::make_unique<ClaudePane>(stage, arguments, session, as_coder());
  }
  /// A prompt and its answer.
  void talk(const ClaudePane& claude, const std::string& words) const {
    claude.prompt(words);
    stage.await_told(words);
    claude.await_idle();
  }
  std::string why() const { return join(texts_in(value_at(coder.gt({"why", "coder"}), "reasons")), "; "); }
  /// Uninstalls the hooks, waits until the session has seen that, and ends what they left waiting beside it.
  void take_away_the_hooks_of(const ClaudePane& claude) const {
    coder.gt({"harness", "uninstall", "claude", "--user"});
    // It sees new settings within two seconds and says nothing. A turn that begins before has hooks at its beginning
    // only, and two minutes must pass until its silence means that it is over.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    const auto spoke = [this] { return text_at(coder.entry(), "last_activity"); };
    std::string before;
    for (int prompt = 1; before != spoke(); ++prompt) {
      if (prompt == 20) throw std::runtime_error("its hooks are gone, and answer nevertheless");
      before = spoke();
      talk(claude, cat("prompt number ", prompt));
    }
    for (const int waiter : waiters()) kill_program(waiter);
  }
  /// The turns that began with nothing but the call of the hooks.
  int turns_without_content() const {
    int turns = 0;
    for (const auto& request : stage.requests())
      if (request.text.find(kTrigger) != std::string::npos && request.text.find("hq-n-") == std::string::npos &&
          request.text.find("hq-m-") == std::string::npos)
        ++turns;
    return turns;
  }
  /// Fails the test if a conversation without these words was told of the id.
  void expect_told_only_where(const std::string& words, const std::string& id) const {
    EXPECT_GE(stage.times_told(id), 1);
    for (const auto& request : stage.requests()) {
      if (request.all.find(id) == std::string::npos) continue;
      EXPECT_NE(request.all.find(words), std::string::npos) << "another one was told: " << request.text;
    }
  }
};
WITH_EACH_CLAUDE(EveryClaude);

TEST_P(EveryClaude, ThatChangesItsFolderKeepsItsTown) {
  const auto elsewhere = stage.home() / "elsewhere";
  fs::create_directories(elsewhere);
  stage.rules(cat(R"([{"when":"go away","once":true,"tool":{"name":"Bash","input":{"command":"cd )", elsewhere.string(),
                  R"( && gt whoami","description":"goes"}}},{"when":"who are you","once":true,"tool":{"name":"Bash",)",
                  R"("input":{"command":"pwd; gt whoami; gt mail send coder -s x -m x --as overseer; echo code $?",)",
                  R"("description":"asks"}}}])"));
  const auto claude = open("claude", {"--allowedTools", "Bash", "--add-dir", elsewhere.string()});
  talk(*claude, "go away");
  coder.await_state("idle");
  talk(*claude, "who are you");
  const auto told = turn_with("code 5");
  EXPECT_NE(told.find(elsewhere.string()), std::string::npos) << told;
  EXPECT_NE(told.find("coder (pane)"), std::string::npos) << told;
  coder.await_state("idle");
  const auto id = nudge("wherever you are");
  expect_delivered_once(id);
  EXPECT_EQ(turns_without_content(), 0);
}

TEST_P(EveryClaude, InsideAnotherOneTakesNothingFromIt) {
  stage.rules(cat(R"([{"when":"delegate","once":true,"tool":{"name":"Bash","input":{"command":)",
                  R"("touch at-the-gate; until [ -e gate-is-open ]; do sleep 0.1; done; )", stage.claude(),
                  R"( -p 'inner words'","description":"asks another"}}}])"));
  const auto claude = open("claude", {"--allowedTools", "Bash"});
  claude->prompt("delegate");
  await_at_gate();
  const auto id = nudge("for the outer one");
  const auto mail = stage.town().send("overseer", "coder", "the plan for today");
  open_gate();
  stage.await("the inner one was asked", [this] { return stage.times_told("inner words") > 0; });
  expect_delivered_once(id);
  stage.await_told(mail);
  expect_told_only_where("delegate", id);
  expect_told_only_where("delegate", mail);
  coder.await_state("idle");
  EXPECT_EQ(turns_without_content(), 0);
  EXPECT_EQ(number_at(coder.entry(), "pid"), process_in(*claude));
}

TEST_P(EveryClaude, InTwoWindowsIsListedTwiceAndTheNewestLiveOneIsTold) {
  const auto older = open("older");
  talk(*older, "this is the older one");
  auto newer = open("newer");
  talk(*newer, "this is the newer one");
  const auto sessions = items_of(value_at(coder.entry(), "sessions"));
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(items_of(value_at(coder.gt({"agent", "show", "coder"}), "sessions")).size(), 2U);
  EXPECT_EQ(number_at(sessions[0], "pid"), process_in(*newer));
  EXPECT_TRUE(flag_at(sessions[0], "receives"));
  EXPECT_EQ(number_at(sessions[1], "pid"), process_in(*older));
  const auto first = nudge("for the newer one");
  expect_delivered_once(first);
  expect_told_only_where("this is the newer one", first);
  coder.await_state("idle");

  kill_program(process_in(*newer));
  EXPECT_EQ(number_at(coder.entry(), "pid"), process_in(*older));
  const auto second = nudge("for the one that is left");
  expect_delivered_once(second);
  expect_told_only_where("this is the older one", second);
  EXPECT_EQ(turns_without_content(), 0) << "a hook waits beside each";
}

TEST_P(EveryClaude, ThatIsKilledIsSeenToBeGoneAndLosesNothing) {
  const auto claude = open();
  talk(*claude, "say hello");
  await_waiter();
  tmux({"set-option", "-p", "-t", claude->pane(), "remain-on-exit", "on"});
  kill_program(process_in(*claude));
  stage.await("its waiter ends", [this] { return waiters().empty(); });
  EXPECT_EQ(coder.state(), "exited");
  const auto id = nudge("for your return");
  EXPECT_EQ(coder.state_of(id), "queued");
  EXPECT_NE(why().find("not running"), std::string::npos) << why();
  tmux({"respawn-pane", "-k", "-t", claude->pane(), "bash --norc"});
  stage.start({"gt", "up"}, "up");
  nudge("and this");
  coder.await_state("exited");
  EXPECT_EQ(claude->screen().find("ownpost"), std::string::npos) << "a shell has its pane: " << claude->screen();
  const auto again = open("again");
  talk(*again, "say hello again");
  expect_delivered_once(id);
  EXPECT_EQ(turns_without_content(), 0);
}

TEST_P(EveryClaude, WhoseHooksAreTakenAwayWhileItRunsIsTypedToAndBeginsOneTurnForNothingAtMost) {
  stage.start({"gt", "up"}, "up");
  const auto claude = open();
  talk(*claude, "say hello");
  await_waiter();
  take_away_the_hooks_of(*claude);
  std::vector<std::string> ids;
  for (const auto* text : {"the first", "the second", "the third"}) {
    ids.push_back(nudge(text));
    coder.await_delivered(ids.back());
  }
  const auto mail = stage.town().send("overseer", "coder", "the plan for today");
  stage.await_told(mail);
  claude->await_idle();
  EXPECT_EQ(coder.told_in_order(ids), ids);
  for (const auto& id : ids) expect_delivered_once(id);
  EXPECT_EQ(stage.times_told(mail), 1);
  EXPECT_EQ(turns_without_content(), 1) << "its hooks were called once";
  EXPECT_EQ(coder.state(), "deaf");
  EXPECT_NE(stage.run({gt_program(), "status"}).out.find("are they installed?"), std::string::npos);
  EXPECT_NE(why().find("its hooks do not answer"), std::string::npos) << why();
  install_hooks();
  const auto again = open("again");
  talk(*again, "say hello again");
  coder.await_state("idle");
}

TEST_P(EveryClaude, WhoseModelDoesNotAnswerIsNotWokenAndIsToldWithItsNextPrompt) {
  stage.rules(R"([{"status":529}])");
  auto surroundings = as_coder();
  surroundings["CLAUDE_CODE_MAX_RETRIES"] = "1";
  const ClaudePane claude(stage, {}, "claude", surroundings);
  claude.prompt("say hello");
  coder.await_state("stalled");
  stage.start({"gt", "up"}, "up");
  const auto sent = coder.nudge("go on");
  EXPECT_NE(sent.note.find("its model does not answer"), std::string::npos) << sent.note;
  EXPECT_NE(why().find("its model does not answer"), std::string::npos) << why();
  const auto mail = stage.town().send("overseer", "coder", "the plan for today");
  stage.rules("[]");
  claude.prompt("try again");
  expect_delivered_once(sent.id);
  EXPECT_NE(turn_with(sent.id).find("try again"), std::string::npos) << "nobody woke it: " << turn_with(sent.id);
  EXPECT_NE(turn_with(mail).find("try again"), std::string::npos) << turn_with(mail);
}

TEST_P(EveryClaude, IsShownUrgentMailBeforeNudgesThatAreNot) {
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  begin_turn("wait at the gate");
  await_at_gate();
  const auto id = nudge("when you are done");
  const auto mail = stage.town().send("overseer", "coder", "the build is red", {"--urgent"});
  open_gate();
  await_end_of_turn();
  EXPECT_EQ(coder.told_in_order({id, mail}), (std::vector<std::string>{mail, id}));
  EXPECT_EQ(turn_with(id), turn_with(mail)) << "in one block";
}

TEST_P(EveryClaude, WhoseTmuxServerIsStartedAnewIsNotSoughtInItsOldPane) {
  auto claude = open();
  talk(*claude, "say hello");
  const auto pane = claude->pane();
  const int process = process_in(*claude);
  tmux({"kill-server"});
  stage.await("it is gone", [&] { return !look_at(process) || is_zombie(process); });
  const ClaudePane payroll(stage, {}, "payroll");
  ASSERT_EQ(payroll.pane(), pane) << "the same number";
  stage.start({"gt", "up"}, "up");
  const auto id = nudge("transfer the money");
  coder.await_state("exited");
  EXPECT_NE(why().find("not running"), std::string::npos) << why();
  talk(payroll, "say hello, payroll");
  EXPECT_EQ(stage.times_told(id), 0);
  EXPECT_EQ(coder.state_of(id), "queued");
  const auto again = open("again");
  talk(*again, "say hello again");
  expect_delivered_once(id);
  // The new session may be woken before its first prompt: what counts is that the stranger was told nothing.
  for (const auto& request : stage.requests())
    EXPECT_TRUE(request.all.find("say hello, payroll") == std::string::npos ||
                request.all.find(id) == std::string::npos);
  EXPECT_EQ(turns_without_content(), 0);
}

TEST_P(EveryClaude, WhoseTmuxServerIsStartedAnewIsNobodyThere) {
  coder.gt({"harness", "uninstall", "claude", "--user"});
  auto claude = open();
  const auto pane = claude->pane();
  coder.gt({"agent", "add", "coder", "--session", "tmux:" + pane});
  stage.await("the server ends", [&] {
    return stage.run({"tmux", "kill-server"}).err.find("no server") != std::string::npos;
  });
  const ClaudePane payroll(stage, {}, "payroll");
  ASSERT_EQ(payroll.pane(), pane) << "the same number";
  stage.start({"gt", "up"}, "up");
  const auto sent = coder.nudge("transfer the money");
  EXPECT_EQ(sent.state, "queued");
  EXPECT_NE(why().find("another process has it now"), std::string::npos) << why();
  talk(payroll, "say hello");
  EXPECT_EQ(stage.times_told(sent.id), 0);
  EXPECT_EQ(coder.state_of(sent.id), "queued");
  tmux({"respawn-pane", "-k", "-t", pane,
        cat("sh -c 'gt whoami >", (stage.home() / "who").string(), " 2>&1; exec cat'")});
  stage.await("it says who it is",
              [&] { return fs::exists(stage.home() / "who") && fs::file_size(stage.home() / "who") > 0; });
  EXPECT_EQ(trim(read_file(stage.home() / "who").value_or("")), "overseer (env)");
}

}  // namespace
}  // namespace townpost
