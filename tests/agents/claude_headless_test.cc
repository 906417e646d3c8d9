// Claude Code without a person, `claude -p`, with our hooks in its settings.
#include "agents/claude_town.h"
#include "base/text.h"

namespace townpost {
namespace {

class HeadlessClaude : public ClaudeOfEachVersion {
 protected:
  HeadlessClaude() { install_hooks(); }
};
WITH_EACH_CLAUDE(HeadlessClaude);

TEST_P(HeadlessClaude, IsToldAtTheEndOfItsTurnWhatCameWhileItWorked) {
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  begin_turn("wait at the gate");
  await_at_gate();
  const auto id = nudge("look at the build");
  EXPECT_EQ(coder.state(), "running");
  open_gate();
  await_end_of_turn();
  expect_delivered_once(id);
  const auto told = turn_with(id);
  EXPECT_NE(told.find("look at the build"), std::string::npos) << told;
  EXPECT_EQ(told.find("the gate opened"), std::string::npos) << "in a turn of its own: " << told;
  EXPECT_EQ(coder.state(), "exited");
}

TEST_P(HeadlessClaude, IsToldSeveralNudgesInTheirOrderUrgentOnesFirst) {
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  begin_turn("wait at the gate");
  await_at_gate();
  const auto first = nudge("the first of three");
  const auto second = nudge("the second of three");
  const auto urgent = nudge("the urgent one", {"--priority", "urgent"});
  open_gate();
  await_end_of_turn();
  for (const auto& id : {first, second, urgent}) expect_delivered_once(id);
  EXPECT_EQ(coder.told_in_order({first, second, urgent}), (std::vector<std::string>{urgent, first, second}));
  EXPECT_EQ(turn_with(first), turn_with(urgent)) << "a boundary takes everything that is due";
}

TEST_P(HeadlessClaude, IsInterruptedBetweenTwoToolsOnlyIfThatIsWanted) {
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  begin_turn("wait at the gate");
  await_at_gate();
  const auto patient = nudge("when you are done");
  const auto soon = nudge("at the next tool", {"--soon"});
  const auto now = nudge("at once", {"--now"});
  open_gate();
  await_end_of_turn();
  for (const auto& id : {patient, soon, now}) expect_delivered_once(id);
  const auto in_the_middle = turn_with("the gate opened");
  EXPECT_NE(in_the_middle.find(soon), std::string::npos) << in_the_middle;
  EXPECT_NE(in_the_middle.find(now), std::string::npos) << in_the_middle;
  EXPECT_EQ(in_the_middle.find(patient), std::string::npos) << in_the_middle;
}

TEST_P(HeadlessClaude, SpeaksInItsToolsForNobodyElse) {
  stage.rules(R"([{"when":"pretend","once":true,"tool":{"name":"Bash","input":{"command":)"
              R"("env -u MAIL_IDENTITY gt whoami >who 2>&1; gt hold --all --as overseer >hold 2>&1; echo $? >code",)"
              R"("description":"pretends"}}}])");
  turn("pretend");
  const auto said = [&](const char* file) { return read_file(stage.town().folder() / file).value_or(""); };
  EXPECT_EQ(said("who"), "coder (pane)\n");
  EXPECT_EQ(said("code"), "5\n") << said("hold");
}

TEST_P(HeadlessClaude, IsToldOfMailBySubjectAndOnce) {
  stage.rules(cat("[", gate_at("wait at the gate"), "]"));
  begin_turn("wait at the gate");
  await_at_gate();
  const auto id = stage.town().send("overseer", "coder", "the plan for today", {"-m", "nobody sees this text"});
  open_gate();
  await_end_of_turn();
  const auto told = turn_with(id);
  EXPECT_NE(told.find("Subject: \"the plan for today\""), std::string::npos) << told;
  EXPECT_NE(told.find(cat("gt mail read ", id)), std::string::npos) << told;
  EXPECT_EQ(stage.times_told(id), 1);
  EXPECT_EQ(stage.times_told("nobody sees this text"), 0);
}

TEST_P(HeadlessClaude, IsShownWhatWaitedForItWhenItReturns) {
  turn("say hello");
  EXPECT_EQ(coder.state(), "exited");
  const auto id = nudge("for your return");
  const auto mail = stage.town().send("overseer", "coder", "while you were away");
  EXPECT_EQ(coder.state_of(id), "queued");
  const auto before = stage.requests().size();
  turn("say hello again");
  const auto requests = stage.requests();
  ASSERT_GT(requests.size(), before);
  EXPECT_NE(requests[before].text.find(id), std::string::npos) << requests[before].text;
  EXPECT_NE(requests[before].text.find("while you were away"), std::string::npos) << requests[before].text;
  expect_delivered_once(id);
  EXPECT_EQ(stage.times_told(mail), 1);
}

TEST_P(HeadlessClaude, IsToldWhoItIsWhenItBegins) {
  turn("who am I?");
  const auto told = turn_with("who am I?");
  EXPECT_NE(told.find("You are coder in a Townpost town"), std::string::npos) << told;
}

TEST_P(HeadlessClaude, IsToldNothingInsideOfItsSubagents) {
  stage.rules(
      cat(R"([{"when":"delegate this","once":true,"tool":{"name":"Agent","input":{"description":"helps",)",
          R"("prompt":"the errand of the helper","subagent_type":"general-purpose","run_in_background":false}}},)",
          gate_at("the errand of the helper"), R"(])"));
  begin_turn("delegate this");
  await_at_gate();
  const auto id = nudge("for the coder alone", {"--now"});
  open_gate();
  await_end_of_turn();
  expect_delivered_once(id);
  const auto of_the_helper = turn_with("the gate opened");
  EXPECT_NE(of_the_helper, "");
  EXPECT_EQ(of_the_helper.find(id), std::string::npos) << of_the_helper;
  for (const auto& request : stage.requests()) {
    if (request.all.find(id) == std::string::npos) continue;
    EXPECT_NE(request.all.find("delegate this"), std::string::npos) << "told to the helper: " << request.all;
  }
}

TEST_P(HeadlessClaude, ReadsTheHeadOfALongNudgeAndHowToReadTheRest) {
  turn("say hello");
  std::string text;
  for (int line = 0; text.size() < 20'000; ++line) text += cat("line ", line, " of a long report\n");
  const auto id = nudge(text);
  turn("say hello again");
  expect_delivered_once(id);
  const auto told = turn_with(id);
  EXPECT_NE(told.find("line 0 of a long report"), std::string::npos);
  EXPECT_NE(told.find(cat("gt nudge show ", id)), std::string::npos);
  EXPECT_EQ(told.find("persisted-output"), std::string::npos) << "shown as it is, not put away into a file";
  EXPECT_EQ(text_at(coder.gt({"nudge", "show", id}), "message"), text);
}

}  // namespace
}  // namespace townpost
