#include "delivery/tmux/likeness.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {
namespace {

TEST(Likeness, IsTheTextItselfWhateverTheLines) {
  EXPECT_TRUE(Likeness("deploy is red").is_all("deploy\n is red"));
  EXPECT_TRUE(Likeness("日本語 grüße").is_all("日本\n語grüße"));
  EXPECT_FALSE(Likeness("deploy is red").is_all("deploy is reddish"));
  EXPECT_FALSE(Likeness("deploy is red").is_all("deploy is"));
}

TEST(Likeness, SurvivesComposition) {
  for (const auto* shown : {"A3 é x", "A3 e\u0301 x", "A3 e x"})
    EXPECT_TRUE(Likeness("A3 e\u0301 x").is_all(shown)) << shown;
  EXPECT_TRUE(Likeness("hangul \u1112\u1161\u11AB x").is_all("hangul 한 x"));
  EXPECT_TRUE(Likeness("\u304B\u3099 ga").is_all("が ga"));
  EXPECT_TRUE(Likeness("20 \u212A").is_all("20 K"));
  EXPECT_TRUE(Likeness("\u0958 qa").is_all("\u0915\u093C qa"));
}

TEST(Likeness, SurvivesWhatIsLeftOut) {
  EXPECT_TRUE(Likeness("zero\u200Bwidth, word\u2060joiner").is_all("zerowidth, wordjoiner"));
  EXPECT_TRUE(Likeness("well done \U0001F44D\U0001F3FD!").is_all("well done \U0001F44D!"));
  EXPECT_TRUE(Likeness("well done \U0001F44D\U0001F3FD!").is_all("well done !"));
  EXPECT_TRUE(Likeness("1\uFE0F\u20E3 first").is_all("1 first"));
  EXPECT_TRUE(Likeness("a\u00A0b").is_all("a b"));
}

TEST(Likeness, IsNotWhatAPersonAdded) {
  const Likeness ours("A3 e\u0301 x \U0001F44D\U0001F3FD");
  for (const auto* shown : {"A3 é xy", "hA3 é x", "A3 éé x", "A3 é z", "A3 é x 👍 ok", "A3 äé x", "wait"}) {
    EXPECT_FALSE(ours.is_all(shown)) << shown;
    EXPECT_FALSE(ours.is_part(shown)) << shown;
  }
}

TEST(Likeness, OfAnotherScriptIsThatText) {
  EXPECT_TRUE(Likeness("你好世界").is_all("你好世界"));
  EXPECT_FALSE(Likeness("你好世界").is_all("你好"));
  EXPECT_TRUE(Likeness("你好世界").is_part("好世"));
  EXPECT_FALSE(Likeness("你好世界").is_part("好世界!"));
  EXPECT_FALSE(Likeness("你好世界").is_part("再见"));
}

TEST(Likeness, OfNothingButEmojiIsNotJustAnyEmoji) {
  EXPECT_TRUE(Likeness("👍👍").is_all("👍 👍"));
  EXPECT_FALSE(Likeness("👍👍").is_all("👎"));
  EXPECT_FALSE(Likeness("👍👍").is_part("👍👍👍"));
  EXPECT_FALSE(Likeness("👍").is_within("hello 👎"));
}

TEST(Likeness, HasPartsButNotNothing) {
  EXPECT_TRUE(Likeness("deploy is red").is_part("oy is r"));
  EXPECT_FALSE(Likeness("deploy is red").is_part(""));
  EXPECT_FALSE(Likeness("deploy").is_part("deploy deploy"));
}

TEST(Likeness, IsFoundWithinAScreenAndAtItsEnd) {
  EXPECT_TRUE(Likeness("e\u0301 x").is_within("$ é x\nanswer"));
  EXPECT_FALSE(Likeness("e\u0301 x").is_within("$ é y\nanswer"));
  EXPECT_TRUE(Likeness("red").is_end("a person's words red"));
  EXPECT_FALSE(Likeness("red").is_end("red and more"));
}

TEST(Likeness, IsPlainWhereNothingIsUncertain) {
  EXPECT_TRUE(Likeness("plain, grün, 日本語").is_plain());
  EXPECT_FALSE(Likeness("e\u0301").is_plain());
  EXPECT_FALSE(Likeness("👍").is_plain());
}

rc::Gen<std::string> any_text() {
  const auto point = rc::gen::weightedOneOf<char32_t>(
      {{4, rc::gen::inRange<char32_t>(U' ', 0x7F)},
       {1, rc::gen::elementOf(std::u32string(U"éü日本한👍\u0301\u200B\u1112\u1161\U0001F3FD\u0915\u094D\n"))},
       {1, rc::gen::inRange<char32_t>(0xA0, 0xD800)}});
  return rc::gen::map(rc::gen::container<std::u32string>(point), [](const std::u32string& points) {
    std::string text;
    for (const auto each : points) append_utf8(text, each);
    return text;
  });
}

TEST(Likeness, OfAnyTextIsAllOfItself) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *any_text();
    RC_ASSERT(Likeness(text).is_all(text));
    RC_ASSERT(Likeness(text).is_end(cat("before ", text)));
    RC_ASSERT(Likeness(text).is_within(cat("before ", text, " after")));
  }));
}

TEST(Likeness, OfAnyTextIsNotWithALetterMore) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *any_text();
    RC_ASSERT_FALSE(Likeness(text).is_all(cat(text, "x")));
    RC_ASSERT_FALSE(Likeness(text).is_part(cat(text, "x")));
  }));
}

}  // namespace
}  // namespace townpost
