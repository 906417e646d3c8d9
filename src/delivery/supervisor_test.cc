#include "delivery/supervisor.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using std::chrono::minutes;

TEST(SupervisorPlan, EndsAnIdleProgramByItsRoleUnlessAPersonUsesIt) {
  EXPECT_TRUE(policy_under({}, {}).exits_on_idle);
  EXPECT_FALSE(policy_under({.used_by_person = true}, {}).exits_on_idle);
}

TEST(SupervisorPlan, EndsWhatAPersonUsesIfSomebodyAskedForIt) {
  const auto asked = policy_under({.idle_timeout = minutes(7), .used_by_person = true}, {});
  EXPECT_TRUE(asked.exits_on_idle);
  EXPECT_EQ(asked.idle_timeout, minutes(7));
  EXPECT_TRUE(policy_under({.used_by_person = true}, {.asked_to_exit = true}).exits_on_idle) << "town.toml asks";
  EXPECT_FALSE(policy_under({.idle_timeout = Millis(0)}, {.asked_to_exit = true}).exits_on_idle) << "0 is never";
}

}  // namespace
}  // namespace townpost
