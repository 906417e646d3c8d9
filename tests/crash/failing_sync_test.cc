#include <gtest/gtest.h>

#include "base/text.h"
#include "support/test_town.h"

namespace townpost {
namespace {

/// The disk gives up in the moment of the commit, so many times.
class FailingSync : public testing::Test {
 protected:
  FailingSync() { town.agents({"alice"}); }
  ProcessOutput send(const std::string& subject, int failures) const {
    return town.gt({"mail", "send", "alice", "-s", subject, "-m", "x"},
                   {{"LD_PRELOAD", FAILING_SYNC}, {"FAILING_SYNCS", std::to_string(failures)}});
  }
  bool is_there(const std::string& subject) const {
    return town.gt({"mail", "inbox", "alice"}).out.find(subject) != std::string::npos;
  }
  TestTown town;
};

TEST_F(FailingSync, ThatDoesNotPassLeavesItUnknownWhetherTheMailWasStored) {
  const auto told = send("in doubt", 1000);
  EXPECT_EQ(told.exit_code, 6);
  EXPECT_NE(told.err.find("not known whether the change was stored"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("with a key"), std::string::npos) << told.err;
  EXPECT_EQ(told.err.find("try again"), std::string::npos) << told.err;
}

TEST_F(FailingSync, ThatPassesLeavesNothingBehindAndSaysSo) {
  const auto told = send("taken back", 1);
  EXPECT_EQ(told.exit_code, 6);
  EXPECT_NE(told.err.find("nothing was stored"), std::string::npos) << told.err;
  EXPECT_FALSE(is_there("taken back"));
  EXPECT_EQ(send("taken back", 0).exit_code, 0);
  EXPECT_TRUE(is_there("taken back"));
  EXPECT_EQ(town.gt({"store", "check"}).exit_code, 0);
}

TEST_F(FailingSync, IsRepeatedSafelyWithAKey) {
  const auto keyed = [&](const TestTown::Variables& variables) {
    return town.gt({"mail", "send", "alice", "-s", "once", "-m", "x", "--key", "k1"}, variables);
  };
  EXPECT_EQ(keyed({{"LD_PRELOAD", FAILING_SYNC}, {"FAILING_SYNCS", "1000"}}).exit_code, 6);
  EXPECT_EQ(keyed({}).exit_code, 0);
  EXPECT_EQ(town.json({"mail", "inbox", "alice"}).get_array().size(), 1u);
}

}  // namespace
}  // namespace townpost
