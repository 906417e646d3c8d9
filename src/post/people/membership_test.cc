#include "post/people/membership.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

struct Case {
  const char* pattern;
  const char* address;
  bool matches;
};

void expect_all(const std::vector<Case>& cases) {
  for (const auto& [pattern, address, matches] : cases)
    EXPECT_EQ(matches_claimers(pattern, address), matches) << pattern << " against \"" << address << "\"";
}

// G155
TEST(Claimers, TheLoneStarIsEverybody) {
  expect_all({{"*", "", true},
              {"*", "coder", true},
              {"*", "mayor/", true},
              {"*", "beads/witness", true},
              {"*", "gastown/polecats/capable", true},
              {"*", "a/b/c/d", true}});
}

// G157
TEST(Claimers, AStarStaysWithinItsSegment) {
  expect_all({{"gastown/polecats/*", "gastown/polecats/capable", true},
              {"gastown/polecats/*", "gastown/polecats/sub/capable", false},
              {"gastown/polecats/*", "beads/polecats/x", false},
              {"gastown/polecats/*", "gastown/polecats", false},
              {"gastown/polecats/*", "gastown/polecats/", false},
              {"gastown/polecats/*", "gastown/crew/capable", false},
              {"*/polecats/*", "beads/polecats/x", true},
              {"*/polecats/*", "beads/crew/x", false},
              {"*/witness", "beads/witness", true},
              {"*/witness", "witness", false},
              {"*/*", "coder", false},
              {"*/*", "beads/witness", true},
              {"*/*/*", "beads/witness", false}});
}

// G159
TEST(Claimers, AnExactPatternIsOneAddress) {
  expect_all({{"gastown/crew/max", "gastown/crew/max", true},
              {"gastown/crew/max", "gastown/crew/maxi", false},
              {"gastown/crew/max", "gastown/crew/ma", false},
              {"gastown/crew/max", "gastown/polecats/max", false},
              {"coder", "coder", true},
              {"coder", "Coder", false},
              {"mayor/", "mayor/", true},
              {"mayor", "mayor/", true},
              {"mayor/", "mayor", true}});
}

// G160
TEST(Claimers, WhatStandsBeforeAndBehindAStarDoesNotOverlap) {
  expect_all({{"ab*ba", "aba", false},
              {"ab*ba", "abba", true},
              {"ab*ba", "abxba", true},
              {"ab*ba", "ababa", true},
              {"ab*ba", "ab", false},
              {"ab*ba", "", false},
              {"a*a", "a", false},
              {"a*a", "aa", true}});
}

TEST(Claimers, StarsMayStandAnywhereInASegment) {
  expect_all({{"build-*", "build-1", true},
              {"build-*", "build-", true},
              {"build-*", "build", false},
              {"*-bot", "review-bot", true},
              {"*-bot", "-bot", true},
              {"*o*o*", "foo", true},
              {"*o*o*", "fo", false},
              {"**", "x", true},
              {"**", "x/y", false},
              {"beads/polecats/n*", "beads/polecats/nux", true},
              {"beads/polecats/n*", "beads/polecats/slit", false},
              {"be*/crew/*", "beads/crew/max", true}});
}

TEST(Claimers, ManyStarsDoNotTakeForever) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "a*";
  EXPECT_FALSE(matches_claimers(pattern + "b", std::string(200, 'a')));
  EXPECT_TRUE(matches_claimers(pattern, std::string(200, 'a')));
}

/// Character by character, in the simplest way; a star passes no slash.
bool simple_glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '*')
    return !text.empty() && pattern[0] == text[0] && simple_glob(pattern.substr(1), text.substr(1));
  if (simple_glob(pattern.substr(1), text)) return true;
  return !text.empty() && text[0] != '/' && simple_glob(pattern, text.substr(1));
}

bool simple_match(std::string_view pattern, std::string_view text) {
  if (pattern == "*") return true;
  if (text.ends_with('/')) text.remove_suffix(1);
  if (pattern.ends_with('/')) pattern.remove_suffix(1);
  const std::string framed = cat("/", text, "/");
  return framed.find("//") == std::string::npos && simple_glob(pattern, text);
}

rc::Gen<std::string> text_of(const std::string& letters) {
  return rc::gen::resize(14, rc::gen::container<std::string>(rc::gen::elementOf(letters)));
}

RC_GTEST_PROP(Claimers, AgreeWithASimpleMatcher, ()) {
  const auto pattern = *text_of("ab**/");
  const auto text = *text_of("ab/");
  RC_ASSERT(matches_claimers(pattern, text) == simple_match(pattern, text));
}

RC_GTEST_PROP(Claimers, WhateverTheyAreMadeOfTheyEnd, ()) {
  (void)matches_claimers(*rc::gen::arbitrary<std::string>(), *rc::gen::arbitrary<std::string>());
}

RC_GTEST_PROP(Claimers, AnAddressCoversItselfAndIsCoveredWithAnySegmentStarred, ()) {
  const auto word = rc::gen::nonEmpty(
      rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019_.-")))));
  auto segments = *rc::gen::resize(3, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(word)));
  const auto address = join(segments, "/");
  RC_ASSERT(matches_claimers(address, address));
  const auto at = *rc::gen::inRange<std::size_t>(0, segments.size());
  segments[at] = "*";
  RC_ASSERT(matches_claimers(join(segments, "/"), address));
}

}  // namespace
}  // namespace townpost
