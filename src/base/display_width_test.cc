#include "base/display_width.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {
namespace {

/// As it is shown: what is measured was escaped before.
std::string harmless_text(const std::vector<char32_t>& points) {
  std::string out;
  for (const auto point : points) append_utf8(out, 0x20 + point % 0x1FAFF);
  return for_terminal_line(out);
}

TEST(DisplayWidth, IsOneForEachPlainLetter) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("hello"), 5u);
  EXPECT_EQ(display_width("Grüße, Žluťoučký"), 16u);
  EXPECT_EQ(display_width("●!↑→…"), 5u);
}

TEST(DisplayWidth, IsTwoForEastAsiaAndEmoji) {
  EXPECT_EQ(display_width("日本語"), 6u);
  EXPECT_EQ(display_width("한국"), 4u);
  EXPECT_EQ(display_width("ＡＢ"), 4u);
  EXPECT_EQ(display_width("ﾊﾝｶｸ"), 4u) << "half-width letters";
  EXPECT_EQ(display_width("🚀 go"), 5u);
}

TEST(DisplayWidth, OfMarksIsThatOfTheirLetter) {
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("Z\u0351\u036b\u0343algo"), 5u);
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2u) << "a syllable of Jamo";
  EXPECT_EQ(display_width("שָׁלוֹם"), 4u);
}

TEST(DisplayWidth, OfWhatIsSeenAsOneEmojiIsTwo) {
  EXPECT_EQ(display_width("👩‍👩‍👧‍👦"), 2u) << "a family";
  EXPECT_EQ(display_width("👍🏽"), 2u) << "a skin";
  EXPECT_EQ(display_width("🇩🇪🇫🇷"), 4u) << "two flags";
  EXPECT_EQ(display_width("❤️"), 2u) << "a sign shown as an emoji";
  EXPECT_EQ(display_width("1️⃣"), 2u) << "a key";
  EXPECT_EQ(display_width("🏴\U000E0067\U000E0062\U000E007F"), 2u);
}

TEST(FitInto, ShowsWhatWasCut) {
  EXPECT_EQ(fit_into("hello", 5), "hello");
  EXPECT_EQ(fit_into("hello", 4), "hel…");
  EXPECT_EQ(fit_into("hello", 1), "…");
  EXPECT_EQ(fit_into("hello", 0), "");
}

TEST(FitInto, CutsNothingInHalf) {
  EXPECT_EQ(fit_into("日本語", 5), "日本…");
  EXPECT_EQ(fit_into("日本語", 4), "日…") << "one column stays empty";
  EXPECT_EQ(fit_into("ae\u0301b", 2), "a…");
  EXPECT_EQ(fit_into("ae\u0301bc", 3), "ae\u0301…");
  EXPECT_EQ(fit_into("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), "👩‍👩‍👧‍👦…");
}

TEST(FitInto, MayKeepTheEnd) {
  EXPECT_EQ(fit_end_into("web/crew/ada", 12), "web/crew/ada");
  EXPECT_EQ(fit_end_into("web/crew/ada", 9), "…crew/ada");
  EXPECT_EQ(fit_end_into("日本語", 4), "…語");
  EXPECT_EQ(fit_end_into("日本語", 0), "");
}

TEST(FitInto, LeavesNoJoinerBehind) {
  const auto cut = fit_into("نامه‌ای", 6);
  EXPECT_EQ(for_terminal_line(cut), cut) << "the cut made an escape";
}

// What is measured is what is shown: a text is escaped first, and cutting it makes nothing else to escape.
RC_GTEST_PROP(FitInto, IsNeverWiderAndStaysHarmless, (const std::vector<char32_t>& points, unsigned char width)) {
  const auto harmless = harmless_text(points);
  RC_ASSERT(display_width(fit_end_into(harmless, width)) <= width);
  const auto cut = fit_into(harmless, width);
  RC_ASSERT(display_width(cut) <= width);
  RC_ASSERT(is_utf8(cut));
  RC_ASSERT(for_terminal_line(cut) == cut);
}

RC_GTEST_PROP(DisplayWidth, OfClustersAddsUp, (const std::vector<char32_t>& points)) {
  const auto text = harmless_text(points);
  std::size_t sum = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto cluster = first_cluster(rest);
    RC_ASSERT(cluster.bytes > 0);
    sum += cluster.width;
    rest.remove_prefix(cluster.bytes);
  }
  RC_ASSERT(sum == display_width(text));
}

TEST(Folded, BreaksBetweenWordsAndInsideOfOneOnlyWhereItMust) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(folded("wants to run rm -rf build", 10), (Lines{"wants to", "run rm -rf", "build"}));
  EXPECT_EQ(folded("日本語の件名", 5), (Lines{"日本", "語の", "件名"}));
  EXPECT_EQ(folded("a 0123456789abc", 8), (Lines{"a", "01234567", "89abc"}));
  EXPECT_EQ(folded("", 8), Lines{""});
  EXPECT_EQ(folded("日本", 1), (Lines{"日", "本"})) << "what fits nowhere is shown all the same";
}

RC_GTEST_PROP(Folded, LosesNothingAndIsNeverWider, (const std::vector<char32_t>& points, unsigned char width)) {
  std::string text;
  for (const auto point : points) append_utf8(text, 0x20 + point % 0x2FF);
  text = for_terminal_line(text);
  std::string all;
  for (const auto& line : folded(text, width + 2u)) {
    RC_ASSERT(display_width(line) <= width + 2u);
    all += line;
  }
  const auto without_spaces = [](std::string from) {
    from.erase(std::remove(from.begin(), from.end(), ' '), from.end());
    return from;
  };
  RC_ASSERT(without_spaces(all) == without_spaces(text));
}

TEST(RightToLeft, IsSeenInHebrewAndArabicOnly) {
  EXPECT_TRUE(has_right_to_left("to שלום"));
  EXPECT_TRUE(has_right_to_left("مرحبا"));
  EXPECT_FALSE(has_right_to_left("Grüße 日本語 🚀"));
}

}  // namespace
}  // namespace townpost
