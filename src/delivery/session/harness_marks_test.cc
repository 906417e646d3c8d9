#include "delivery/session/harness_marks.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

ProcessLook process(int pid, const std::string& program, int group = 0, int foreground = -1) {
  return {.pid = pid, .program = program, .group = group, .foreground = foreground};
}

int found(const std::vector<ProcessLook>& above, const SaidOfHarness& said) {
  const auto harness = harness_above(above, "claude", said);
  return harness.own ? harness.own->pid : 0;
}

TEST(HarnessAbove, IsTheNearestProcessOfItsName) {
  EXPECT_EQ(found({process(30, "sh"), process(20, "claude"), process(10, "claude")}, {}), 20);
  EXPECT_EQ(found({process(30, "sh"), process(20, "claude")}, {.pid = 30}), 20) << "whatever is said";
  EXPECT_EQ(found({process(30, "sh")}, {.pid = 30}), 0) << "a shell is none";
}

TEST(HarnessAbove, UnderAnotherNameIsWhatHasTheTerminalForItself) {
  const std::vector<ProcessLook> above = {process(30, "sh", 30, 20), process(20, "claude325", 20, 20)};
  EXPECT_EQ(found(above, {.pid = 20}), 20);
  EXPECT_EQ(found(above, {.pid = 21, .is_marked = true}), 0) << "another one is said";
  EXPECT_EQ(found(above, {.is_marked = true}), 20) << "a version that does not tell its number";
  EXPECT_EQ(found(above, {}), 0) << "nothing says so";
}

TEST(HarnessAbove, IsNoServerOfTerminalsAndNoLogin) {
  for (const SaidOfHarness& said : {SaidOfHarness{.pid = 20}, SaidOfHarness{.is_marked = true}}) {
    EXPECT_EQ(found({process(30, "bash", 30, 30), process(20, "tmux: server")}, said), 0);
    EXPECT_EQ(found({process(30, "bash", 30, 30), process(20, "su", 20, 30)}, said), 0);
  }
  EXPECT_EQ(found({process(30, "bash", 30, 30), process(1, "init", 1, 1)}, {.pid = 1}), 0);
  EXPECT_EQ(found({process(30, "bash", 30, 30), process(1, "init", 1, 1)}, {.is_marked = true}), 0);
}

TEST(HarnessAbove, IsNestedInAnAgentProgramBeyondIt) {
  const auto inner = harness_above(
      {process(40, "sh"), process(30, "claude"), process(20, "bash"), process(10, "codex")}, "claude", {});
  EXPECT_TRUE(inner.is_nested);
  EXPECT_EQ(inner.beyond, (std::vector<int>{20, 10}));
  const auto alone = harness_above({process(40, "sh"), process(30, "claude"), process(20, "bash")}, "claude", {});
  EXPECT_FALSE(alone.is_nested) << "it is no other than itself";
}

TEST(HarnessMarks, OfVariablesAreSeenBeforeTheyAreTakenApart) {
  using namespace std::string_literals;
  const auto text = [](const std::vector<std::string>& entries) {
    std::string out;
    for (const auto& entry : entries) out += entry + "\0"s;
    return out;
  };
  EXPECT_FALSE(may_be_marked(""));
  EXPECT_FALSE(may_be_marked(text({"PATH=/bin", "COLUMNS=80", "CLAUDE=1", "EDITOR=CLAUDECODE", "", "C"})));
  EXPECT_TRUE(may_be_marked(text({"PATH=/bin", "CLAUDECODE=1"})));
  EXPECT_TRUE(may_be_marked(text({"CODEX_SANDBOX=x", "HOME=/"})));
  EXPECT_TRUE(may_be_marked("A=1\0CLAUDECODE=1"s)) << "the last one may be cut";
  // Whatever counts in an environment is seen before.
  for (const auto* name :
       {"CLAUDECODE", "CODEX_X", "OPENCODE", "GEMINI_CLI", "COPILOT_AGENT_X", "CURSOR_X", "AMP_THREAD_ID",
        "AUGMENT_AGENT", "CLINE_ACTIVE", "GOOSE_TERMINAL", "QWEN_CODE", "AI_AGENT"}) {
    EXPECT_TRUE(harness_of_environment(FixedEnvironment(std::map<std::string, std::string>{{name, "1"}}))) << name;
    EXPECT_TRUE(may_be_marked(text({cat(name, "=1")}))) << name;
  }
}

}  // namespace
}  // namespace townpost
