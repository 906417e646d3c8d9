#include <gtest/gtest.h>

#include "agents/agent_stage.h"
#include "agents/claude_pane.h"
#include "agents/opencode_server.h"
#include "base/text.h"

namespace townpost {
namespace {

/// What an agent's client would send to the model server, with these words of the user.
std::string question(const std::string& words, const std::string& tools = R"([{"name":"Bash"}])") {
  return cat(R"({"model":"m","stream":false,"tools":)", tools, R"(,"messages":[{"role":"user","content":")", words,
             R"("}]})");
}

TEST(ModelServer, AnswersFromTheFirstRuleThatMatchesAndOnceMeansOnce) {
  const AgentStage stage;
  stage.rules(R"([{"when":"colour","text":"red","once":true},{"when":"colour","text":"blue"}])");
  const auto answer = [&](const std::string& words) {
    const auto out = parse_json(stage.http(stage.model_url() + "/v1/messages", question(words)));
    return texts_in(value_at(out.value(), "content"), "text");
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(answer("which colour?"), Texts{"red"});
  EXPECT_EQ(answer("which colour?"), Texts{"blue"});
  EXPECT_EQ(answer("which size?"), Texts{"ok"});
}

TEST(ModelServer, TellsTheLastTurnFromTheWholeAndLeavesAsidesOut) {
  const AgentStage stage;
  stage.http(stage.model_url() + "/v1/messages", question("give this a title", "[]"));
  stage.http(stage.model_url() + "/v1/chat/completions",
             R"({"model":"m","tools":[{"type":"function"}],"messages":[{"role":"system","content":"be brief"},)"
             R"({"role":"user","content":"first"},{"role":"assistant","content":"ok"},)"
             R"({"role":"user","content":[{"type":"text","text":"second"}]}]})");
  const auto requests = stage.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].text, "second");
  EXPECT_EQ(requests[0].all, "be brief\nfirst\nok\nsecond");
}

TEST(RealClaude, TurnReachesTheModel) {
  const AgentStage stage;
  stage.rules(R"([{"when":"run the bell","tool":{"name":"Bash","input":{"command":"echo the bell rang"}}}])");
  const auto turn = stage.run({stage.claude(), "-p", "run the bell", "--allowedTools", "Bash"});
  EXPECT_EQ(turn.exit_code, 0) << turn.err;
  EXPECT_EQ(trim(turn.out), "ok");
  EXPECT_EQ(stage.times_told("run the bell"), 1);
  EXPECT_EQ(stage.times_told("the bell rang"), 1);
}

TEST(RealClaude, PromptTypedIntoItsPaneReachesTheModel) {
  const AgentStage stage;
  const ClaudePane claude(stage);
  claude.prompt("is anybody there?");
  stage.await_told("is anybody there?");
  claude.await_screen("● ok");
  claude.await_idle();
  EXPECT_EQ(claude.input_line(), "");
}

TEST(RealOpencode, TurnReachesTheModel) {
  const AgentStage stage;
  stage.rules(
      R"([{"when":"run the bell","tool":{"name":"bash","input":{"command":"echo the bell rang","description":"rings"}}}])");
  const OpencodeServer opencode(stage);
  opencode.prompt("run the bell");
  EXPECT_EQ(stage.times_told("run the bell"), 1);
  EXPECT_EQ(stage.times_told("the bell rang"), 1);
  EXPECT_EQ(items_of(opencode.ask("/message")).size(), 3U);  // the prompt, the call, the answer
}

}  // namespace
}  // namespace townpost
