#include "delivery/tmux/jump.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

const PanePlace kPlace{.socket = "/run/none/default", .pane = "%5", .session = "work"};

FixedEnvironment within(const std::string& socket) {
  return FixedEnvironment(std::map<std::string, std::string>{{"TMUX", socket + ",4711,0"}});
}

std::string typed(const Jump& jump) { return join(jump.command, " "); }

TEST(Jump, AttachesTheTerminalOutsideOfTmux) {
  const auto jump = jump_to(kPlace, FixedEnvironment());
  EXPECT_EQ(jump.kind, Jump::Kind::attached);
  EXPECT_FALSE(jump.leaves_tmux);
  EXPECT_EQ(typed(jump), "tmux -S /run/none/default select-window -t %5 ; select-pane -t %5 ; attach-session -t %5");
}

TEST(Jump, SwitchesTheClientOnTheSameServer) {
  const auto jump = jump_to(kPlace, within("/run/none/default"));
  EXPECT_EQ(jump.kind, Jump::Kind::switched);
  EXPECT_FALSE(jump.leaves_tmux);
  EXPECT_TRUE(typed(jump).ends_with("switch-client -t %5")) << typed(jump);
}

TEST(Jump, AttachesFromWithinAnotherServerAndLeavesIt) {
  const auto jump = jump_to(kPlace, within("/run/other/default"));
  EXPECT_EQ(jump.kind, Jump::Kind::attached);
  EXPECT_TRUE(jump.leaves_tmux);
}

}  // namespace
}  // namespace townpost
