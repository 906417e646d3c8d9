#include "cli/short_names.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Names = std::map<std::string, std::string>;

TEST(ShortNames, AreOfWorkersWhomNobodyElseIsCalled) {
  EXPECT_EQ(short_names({"api/crew/max", "web/polecats/toast", "overseer"}),
            (Names{{"api/crew/max", "max"}, {"web/polecats/toast", "toast"}}));
  EXPECT_EQ(short_names({"api/crew/max", "web/crew/max"}), Names());
  EXPECT_EQ(short_names({"api/crew/max", "max"}), Names()) << "a session of that name";
}

TEST(ShortNames, AreNotOfThoseWhomARigHas) {
  EXPECT_EQ(short_names({"api/witness", "api/refinery", "mayor/", "deacon/dogs/rex"}), Names());
}

}  // namespace
}  // namespace townpost
