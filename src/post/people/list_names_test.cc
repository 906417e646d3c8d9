#include "post/people/list_names.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

TEST(ListName, MayBeWrittenWithItsKind) {
  EXPECT_EQ(list_name(ListKind::queue, "dispatch"), "dispatch");
  EXPECT_EQ(list_name(ListKind::queue, "queue:dispatch"), "dispatch");
  EXPECT_EQ(list_name(ListKind::channel, "channel:builds"), "builds");
  EXPECT_EQ(list_name(ListKind::group, "group:ops"), "ops");
  EXPECT_EQ(list_name(ListKind::group, "@ops"), "ops");
}

TEST(ListName, OfAnotherKindIsNotTakenApart) {
  EXPECT_EQ(list_name(ListKind::queue, "channel:builds"), "channel:builds");
  EXPECT_EQ(list_name(ListKind::queue, "@dispatch"), "@dispatch");
  EXPECT_EQ(list_name(ListKind::channel, "@builds"), "@builds");
  EXPECT_EQ(list_name(ListKind::group, "queue:ops"), "queue:ops");
  EXPECT_EQ(list_name(ListKind::group, "@group:ops"), "group:ops");
  EXPECT_EQ(list_name(ListKind::queue, "queue:queue:x"), "queue:x");
  EXPECT_EQ(list_name(ListKind::queue, "queues:x"), "queues:x");
}

TEST(ListName, MayBeNothingAtAll) {
  for (const auto kind : {ListKind::group, ListKind::queue, ListKind::channel}) EXPECT_EQ(list_name(kind, ""), "");
  EXPECT_EQ(list_name(ListKind::queue, "queue:"), "");
  EXPECT_EQ(list_name(ListKind::group, "@"), "");
}

TEST(ListName, HasOneToSixtyFourOfFewCharacters) {
  for (const std::string good : {"a", "0", "dispatch", "a-b_c", "9lives", "a-", "a_"})
    EXPECT_TRUE(is_list_name(good)) << good;
  EXPECT_TRUE(is_list_name(std::string(64, 'x')));
  EXPECT_FALSE(is_list_name(std::string(65, 'x')));
  for (const std::string bad : {"", "-a", "_a", "A", "aB", "a.b", "a/b", "a b", "a:b", "@a", "é", "a\n", "*"})
    EXPECT_FALSE(is_list_name(bad)) << bad;
  EXPECT_FALSE(is_list_name(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace townpost
