#include "delivery/system_starter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/child.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {
namespace {

/// A process, and the presence of an agent that runs as this process.
class Started : public testing::Test {
 protected:
  Started() {
    while (names_of_process(child.pid()).front() != "sleep") ::usleep(1000);
    presence.pid = child.pid();
    presence.incarnation = "2f900c05-ddc4-4466-a366-5628a72bdbf5";
    presence.harness = "claude";
    presence.last_activity = *start_of(child.pid()) + std::chrono::minutes(1);
  }
  ~Started() override {
    child.signal(SIGKILL);
    while (!child.exit_code()) ::usleep(1000);
  }
  bool is_alive() { return starter.is_alive(presence); }

  Child child = Child::start({.command = {"sleep", "600"}}).value();
  SystemStarter starter{"/"};
  Presence presence;
};

TEST_F(Started, IsAliveAsLongAsItRuns) {
  EXPECT_TRUE(is_alive());
  child.signal(SIGKILL);
  while (!child.exit_code()) ::usleep(1000);
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsNotAliveOnceItEndedThoughNobodyAskedHow) {
  child.signal(SIGKILL);
  while (!is_zombie(child.pid())) ::usleep(1000);
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsNotAliveIfItsNumberWasGivenToAnother) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsAliveThoughTheClockWasSetIfItIsCalledAsItsHarness) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  presence.harness = "sleep";
  EXPECT_TRUE(is_alive());
}

TEST_F(Started, IsKnownByTheNameOfItsProcessIfThatWasNoted) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  presence.incarnation = process_name(child.pid());
  EXPECT_TRUE(is_alive());
  presence.last_activity = *start_of(child.pid()) + std::chrono::minutes(1);
  presence.incarnation = cat(child.pid(), ".1@", host_name());
  EXPECT_FALSE(is_alive());
}

}  // namespace
}  // namespace townpost
