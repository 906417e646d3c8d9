#include "delivery/harness_marks.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

ProcessLook process(int pid, const std::string& program, int group = 0, int foreground = -1) {
  return {.pid = pid, .program = program, .group = group, .foreground = foreground};
}

TEST(HarnessAbove, IsTheNearestProcessOfItsName) {
  EXPECT_EQ(harness_above({process(30, "sh"), process(20, "claude"), process(10, "claude")}, "claude", 0), 20);
  EXPECT_EQ(harness_above({process(30, "sh"), process(20, "claude")}, "claude", 30), 20) << "whatever is said";
  EXPECT_EQ(harness_above({process(30, "sh")}, "claude", 30), 0) << "a shell is none";
}

TEST(HarnessAbove, UnderAnotherNameIsWhatHasTheTerminalForItself) {
  EXPECT_EQ(harness_above({process(30, "sh", 30, 20), process(20, "claude325", 20, 20)}, "claude", 20), 20);
  EXPECT_EQ(harness_above({process(30, "sh", 30, 20), process(20, "claude325", 20, 20)}, "claude", 0), 0)
      << "nothing says so";
}

TEST(HarnessAbove, IsNoServerOfTerminalsAndNoLogin) {
  EXPECT_EQ(harness_above({process(30, "bash", 30, 30), process(20, "tmux: server")}, "claude", 20), 0);
  EXPECT_EQ(harness_above({process(30, "bash", 30, 30), process(20, "su", 20, 30)}, "claude", 20), 0);
  EXPECT_EQ(harness_above({process(30, "bash", 30, 30), process(1, "init", 1, 1)}, "claude", 1), 0);
}

}  // namespace
}  // namespace townpost
