#include "post/nudge/reach.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

TEST(Reach, OfASessionThatIsStillStartingIsSoForEveryKindOfProgram) {
  Presence presence{.state = AgentState::starting};
  EXPECT_EQ(obstacles_in(presence), std::vector<std::string>{"it is still starting"});
  presence.harness = Harness::stream();
  EXPECT_EQ(obstacles_in(presence), std::vector<std::string>{"it has not said yet that it is idle"});
}

}  // namespace
}  // namespace townpost
