#include "ops/reference.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Places = std::vector<Reference::Places>;

TEST(Reference, IsAPlaceInAList) {
  EXPECT_EQ(Reference::parse("1"), (Reference{{{1, 1}}, ""}));
  EXPECT_EQ(Reference::parse("#12"), (Reference{{{12, 12}}, ""}));
  EXPECT_EQ(Reference::parse("1-3"), (Reference{{{1, 3}}, ""}));
  EXPECT_EQ(Reference::parse("1..3"), (Reference{{{1, 3}}, ""}));
  EXPECT_EQ(Reference::parse("LAST"), (Reference{{{0, 0}}, ""}));
  EXPECT_EQ(Reference::parse("2-last"), (Reference{{{2, 0}}, ""}));
  EXPECT_EQ(Reference::parse("1, 4-5,last"), (Reference{{{1, 1}, {4, 5}, {0, 0}}, ""}));
}

TEST(Reference, IsAPartOfAnId) {
  EXPECT_EQ(Reference::parse("6xwg9"), (Reference{{}, "6xwg9"}));
  EXPECT_EQ(Reference::parse("HQ-M-6X"), (Reference{{}, "6x"}));
  EXPECT_EQ(Reference::parse("hq-n-1a2b3c"), (Reference{{}, "1a2b3c"}));
  EXPECT_EQ(Reference::parse("12345"), (Reference{{}, "12345"})) << "no list is that long";
}

TEST(Reference, IsNothingElse) {
  for (const auto* text : {"", "0", "-1", "1-", "3-1", "last-1", "#", "1,,2", "6x", "overseer", "hq-m-", "hq-m-il",
                           "1a2b3c4d5e6f7", "a b", "api/crew/max", "1-2-3"})
    EXPECT_EQ(Reference::parse(text), std::nullopt) << text;
}

}  // namespace
}  // namespace townpost
