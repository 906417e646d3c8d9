#include "base/pager.h"

#include <gtest/gtest.h>

#include <map>

namespace townpost {
namespace {

using Words = std::vector<std::string>;

FixedEnvironment with(std::map<std::string, std::string> variables) { return FixedEnvironment(std::move(variables)); }

TEST(Pager, IsGtPagerThenPagerThenLess) {
  EXPECT_EQ(pager_of(with({})), (Words{"less", "-FRX"}));
  EXPECT_EQ(pager_of(with({{"PAGER", "more"}})), (Words{"more"}));
  EXPECT_EQ(pager_of(with({{"PAGER", "more"}, {"GT_PAGER", "most  -s"}})), (Words{"most", "-s"}));
}

TEST(Pager, IsNoneWhereItIsCat) {
  EXPECT_EQ(pager_of(with({{"PAGER", "cat"}})), Words());
  EXPECT_FALSE(show_in_pager("text", with({{"PAGER", "cat"}})));
}

TEST(Pager, ThatIsNotThereShowsNothing) {
  EXPECT_FALSE(show_in_pager("text", with({{"PAGER", "no-such-pager-here"}})));
}

}  // namespace
}  // namespace townpost
