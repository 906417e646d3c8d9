#include "post/people/registry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace townpost {
namespace {

TEST(DerivePrefix, IsTheBeginningOfTheName) {
  EXPECT_EQ(derive_prefix("greenplace", {}), "gr");
  EXPECT_EQ(derive_prefix("Beads", {}), "be");
  EXPECT_EQ(derive_prefix("my-rig", {}), "my");
}

TEST(DerivePrefix, GrowsUntilItIsFree) {
  EXPECT_EQ(derive_prefix("beads", {"be"}), "bea");
  EXPECT_EQ(derive_prefix("beads", {"be", "bea", "bead", "beads"}), "beads2");
  EXPECT_EQ(derive_prefix("be", {"be", "be2"}), "be3");
}

TEST(DerivePrefix, HqBelongsToTheTown) { EXPECT_NE(derive_prefix("hq-tools", {}), "hq"); }

RC_GTEST_PROP(DerivePrefix, IsAlwaysAFreePrefix, (const std::string& name)) {
  std::vector<std::string> taken;
  for (int i = 0; i < 20; ++i) {
    const auto prefix = derive_prefix(name, taken);
    RC_ASSERT(!prefix.empty());
    RC_ASSERT(prefix.size() <= 12u);
    RC_ASSERT(prefix != "hq");
    RC_ASSERT(std::all_of(prefix.begin(), prefix.end(),
                          [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }));
    RC_ASSERT(std::find(taken.begin(), taken.end(), prefix) == taken.end());
    taken.push_back(prefix);
  }
}

}  // namespace
}  // namespace townpost
