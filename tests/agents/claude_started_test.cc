// `gt start`: two real Claude Codes in tmux, started by one command each, write to each other.
#include <gtest/gtest.h>

#include "agents/agent_stage.h"
#include "base/text.h"

namespace townpost {
namespace {

class StartedClaudes : public testing::Test {
 protected:
  ~StartedClaudes() override {
    stage.run({gt_program(), "down"});
    stage.run({"tmux", "kill-server"});
  }
  void start(const std::string& name) const {
    const auto out =
        stage.run({gt_program(), "start", name, "--as", "overseer", "--", stage.claude(), "--allowedTools", "Bash"});
    ASSERT_EQ(out.exit_code, 0) << out.err;
  }
  Json gt(AgentStage::Words words) const {
    words.insert(words.begin(), gt_program());
    words.emplace_back("--json");
    const auto out = stage.run(words);
    EXPECT_EQ(out.exit_code, 0) << out.err;
    return parse_json(out.out).value_or(Json());
  }
  /// A rule of the model: told these words, it runs this command once.
  static std::string told(const std::string& words, const std::string& command) {
    return cat(R"({"when":")", words, R"(","once":true,"tool":{"name":"Bash","input":{"command":")", command,
               R"(","description":"mail"}}})");
  }
  std::string subject_in(const std::string& mailbox) const {
    const auto inbox = gt({"mail", "inbox", mailbox});
    const auto messages = items_of(inbox.is_array() ? inbox : value_at(inbox, "messages"));
    return messages.empty() ? "" : text_at(messages.front(), "subject");
  }

  AgentStage stage;
};

TEST_F(StartedClaudes, WriteToEachOther) {
  stage.rules(cat("[", told("ask bob", "gt mail send bob -s 'What colour' -m 'is the shed?'"), ",",
                  told("What colour", "gt mail reply $(gt mail inbox -q --limit 1) -m 'it is blue'"), "]"));
  start("alice");
  start("bob");
  gt({"nudge", "alice", "-m", "ask bob", "--as", "overseer"});
  stage.await("bob has alice's question", [&] { return subject_in("bob") == "What colour"; });
  stage.await("alice has bob's answer", [&] { return subject_in("alice") == "Re: What colour"; });
  stage.await_told("Re: What colour");
}

}  // namespace
}  // namespace townpost
