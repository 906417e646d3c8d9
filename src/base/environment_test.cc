#include "base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"

namespace townpost {
namespace {

TEST(Environment, AVariableThatIsUnsetOrEmptyIsNothing) {
  ASSERT_EQ(setenv("TOWNPOST_TEST_EMPTY", "", 1), 0);
  ASSERT_EQ(setenv("TOWNPOST_TEST_FULL", "value", 1), 0);
  ASSERT_EQ(unsetenv("TOWNPOST_TEST_UNSET"), 0);
  const SystemEnvironment environment;
  EXPECT_EQ(environment.get("TOWNPOST_TEST_FULL"), "value");
  EXPECT_EQ(environment.get("TOWNPOST_TEST_EMPTY"), std::nullopt);
  EXPECT_EQ(environment.get("TOWNPOST_TEST_UNSET"), std::nullopt);
}

TEST(Environment, TheWorkingFolderIsWhereTheProcessIs) {
  EXPECT_EQ(SystemEnvironment().working_folder(), std::filesystem::current_path());
}

TEST(Environment, AWorkingFolderThatWasRemovedCountsAsTheRoot) {
  const auto before = std::filesystem::current_path();
  {
    const auto folder = TemporaryFolder::make("townpost-environment-");
    ASSERT_TRUE(folder);
    std::filesystem::current_path(folder->path());
  }
  const auto seen = SystemEnvironment().working_folder();
  std::filesystem::current_path(before);
  EXPECT_EQ(seen, "/");
}

TEST(Environment, AFixedEnvironmentGivesWhatItWasGiven) {
  const FixedEnvironment environment({{"GT_ROLE", "mayor"}, {"EMPTY", ""}}, "/town");
  EXPECT_EQ(environment.get("GT_ROLE"), "mayor");
  EXPECT_EQ(environment.get("EMPTY"), std::nullopt);
  EXPECT_EQ(environment.get("HOME"), std::nullopt);
  EXPECT_EQ(environment.working_folder(), "/town");
}

}  // namespace
}  // namespace townpost
