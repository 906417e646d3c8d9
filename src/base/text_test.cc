#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

using Strings = std::vector<std::string>;
using Views = std::vector<std::string_view>;

TEST(Text, CatJoinsStringsCharactersAndIntegers) {
  EXPECT_EQ(cat("no message ", std::string("m-1"), ' ', std::string_view("of"), ' ', 3, '/', -4L, '/', 5u),
            "no message m-1 of 3/-4/5");
  EXPECT_EQ(cat(), "");
}

TEST(Text, TrimTakesWhiteSpaceFromBothEndsOnly) {
  EXPECT_EQ(trim(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(trim("ab"), "ab");
  EXPECT_EQ(trim(" \n\t "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,b,c", ','), (Views{"a", "b", "c"}));
  EXPECT_EQ(split(",a,,", ','), (Views{"", "a", "", ""}));
  EXPECT_EQ(split("abc", ','), Views{"abc"});
  EXPECT_EQ(split("", ','), Views{""});
}

template <class Given>
concept CanBeSplit = requires(Given&& text) {
  split(std::forward<Given>(text), ',');
};

// The pieces are views: of a temporary string nothing would be left to look at.
static_assert(!CanBeSplit<std::string>);
static_assert(!CanBeSplit<const std::string>);
static_assert(CanBeSplit<std::string&> && CanBeSplit<const std::string&>);
static_assert(CanBeSplit<std::string_view> && CanBeSplit<const char*>);

TEST(Text, JoinPutsTheSeparatorBetweenPieces) {
  EXPECT_EQ(join({"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

RC_GTEST_PROP(Text, WhatWasSplitCanBeJoinedAgain, (const std::string& text)) {
  Strings pieces;
  for (std::string_view piece : split(text, 'a')) pieces.emplace_back(piece);
  RC_ASSERT(join(pieces, "a") == text);
}

TEST(Text, LowerAsciiLeavesOtherBytesAlone) { EXPECT_EQ(lower_ascii("ABZ[@É\xff"), "abz[@É\xff"); }

TEST(Text, TheDigestIsFnv1a) {
  EXPECT_EQ(digest64(""), 0xcbf29ce484222325ULL);  // the published test vectors
  EXPECT_EQ(digest64("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(digest64("foobar"), 0x85944171f73967e8ULL);
}

RC_GTEST_PROP(Text, ADigestCanBeMadeInPieces, (const std::string& a, const std::string& b)) {
  RC_ASSERT(digest64(b, digest64(a)) == digest64(a + b));
}

TEST(Text, EachKindOfEditCountsOnce) {
  EXPECT_EQ(edit_distance("mayor", "mayor"), 0u);
  EXPECT_EQ(edit_distance("mayr", "mayor"), 1u);
  EXPECT_EQ(edit_distance("mayoor", "mayor"), 1u);
  EXPECT_EQ(edit_distance("maxor", "mayor"), 1u);
  EXPECT_EQ(edit_distance("maoyr", "mayor"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("", ""), 0u);
}

TEST(Text, AnEditIsOfACharacterNotOfAByte) { EXPECT_EQ(edit_distance("é", "€"), 1u); }

RC_GTEST_PROP(Text, EditsAreAsManyBackAsForth, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, a) == 0u);
}

TEST(Nearest, TheLikeliestNameComesFirst) {
  const Strings known{"deacon", "mayor", "refinery", "witness", "minor"};
  EXPECT_EQ(nearest("mayro", known), Strings{"mayor"});
  EXPECT_EQ(nearest("wittnes", known), Strings{"witness"});
  EXPECT_EQ(nearest("manor", known), (Strings{"mayor", "minor"}));
}

TEST(Nearest, TheBeginningOfANameIsEnough) { EXPECT_EQ(nearest("ref", {"mayor", "refinery"}), Strings{"refinery"}); }

TEST(Nearest, CaseDoesNotCountAndTheNameIsGivenAsItIsKnown) {
  EXPECT_EQ(nearest("toast", {"Toast"}), Strings{"Toast"});
  EXPECT_EQ(nearest("ÉMILE", {"Émile"}), Strings{"Émile"});
}

TEST(Nearest, AnUnlikelyNameIsNotGuessed) {
  EXPECT_EQ(nearest("zebra", {"mayor", "witness"}), Strings{});
  EXPECT_EQ(nearest("x", {"y", "z"}), Strings{});
  EXPECT_EQ(nearest("", {"mayor", "a"}), Strings{});
}

TEST(Nearest, NoMoreAreGivenThanAskedFor) {
  EXPECT_EQ(nearest("send", {"sent", "sand", "sends", "mend"}, 2), (Strings{"sent", "sand"}));
  EXPECT_EQ(nearest("send", {"sent"}, 0), Strings{});
}

TEST(Nearest, AWholeBodyIsNotMistakenForAName) {
  EXPECT_EQ(nearest(std::string(1u << 20, 'x'), {std::string(1u << 20, 'x')}), Strings{});
}

}  // namespace
}  // namespace townpost
