#include "base/utf8.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

/// Bytes of every kind, among them many that begin a character and do not end it.
rc::Gen<std::string> bytes() {
  const auto byte =
      rc::gen::map(rc::gen::oneOf(rc::gen::inRange(0, 256), rc::gen::inRange(0x80, 0xC0), rc::gen::inRange(0xE0, 0xF8)),
                   [](int value) { return static_cast<char>(static_cast<unsigned char>(value)); });
  return rc::gen::container<std::string>(byte);
}

std::string encoded(char32_t point) {
  std::string out;
  append_utf8(out, point);
  return out;
}

bool is_surrogate(char32_t point) { return point >= 0xD800 && point <= 0xDFFF; }

TEST(Utf8, EveryCharacterThereIsIsWellFormedAndReadBackTheSame) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (is_surrogate(point)) continue;
    const std::string text = encoded(point);
    const Utf8Step step = first_step(text);
    ASSERT_TRUE(is_utf8(text) && step.well_formed && step.point == point && step.bytes == text.size())
        << static_cast<std::uint32_t>(point);
  }
}

TEST(Utf8, IllFormedSequencesAreSeen) {
  for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE0\x9F\xBF",
                           "\xED\xA0\x80", "\xED\xBF\xBF", "\xE2\x82", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "abcdefgh\xFF", "abcdefghé\xFF"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, AnIllFormedByteIsSeenAtEveryPlace) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'x');
    text[at] = '\xFF';
    EXPECT_FALSE(is_utf8(text)) << at;
  }
}

TEST(Utf8, NulIsWellFormed) { EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3))); }

TEST(Utf8, IllFormedBytesAreReplacedAsUnicodeAdvises) {
  // The examples of the Unicode standard, tables 3-8 to 3-11.
  EXPECT_EQ(to_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(to_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
  EXPECT_EQ(to_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB");
  EXPECT_EQ(to_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFDA");
}

RC_GTEST_PROP(Utf8, WhatWasMadeWellFormedIsAndStaysTheSame, ()) {
  const std::string text = to_utf8(*bytes());
  RC_ASSERT(is_utf8(text));
  RC_ASSERT(to_utf8(text) == text);
}

RC_GTEST_PROP(Utf8, WellFormedTextIsNotChanged, ()) {
  const std::string text = *bytes();
  RC_ASSERT(is_utf8(text) == (to_utf8(text) == text));
}

TEST(Utf8, CharactersAreCountedNotBytes) {
  EXPECT_EQ(length_in_characters(""), 0u);
  EXPECT_EQ(length_in_characters("abc"), 3u);
  EXPECT_EQ(length_in_characters("é€😀"), 3u);
}

TEST(Utf8, APrefixOfCharactersNeverCutsOneInHalf) {
  EXPECT_EQ(first_characters("é€😀x", 0), "");
  EXPECT_EQ(first_characters("é€😀x", 2), "é€");
  EXPECT_EQ(first_characters("é€😀x", 3), "é€😀");
  EXPECT_EQ(first_characters("é€😀x", 4), "é€😀x");
  EXPECT_EQ(first_characters("é€😀x", 99), "é€😀x");
}

TEST(Utf8, APrefixOfBytesNeverCutsACharacterInHalf) {
  const std::string_view text = "é€😀x";  // 2, 3, 4 and 1 bytes
  EXPECT_EQ(first_bytes(text, 0), "");
  EXPECT_EQ(first_bytes(text, 1), "");
  EXPECT_EQ(first_bytes(text, 2), "é");
  EXPECT_EQ(first_bytes(text, 4), "é");
  EXPECT_EQ(first_bytes(text, 5), "é€");
  EXPECT_EQ(first_bytes(text, 8), "é€");
  EXPECT_EQ(first_bytes(text, 9), "é€😀");
  EXPECT_EQ(first_bytes(text, 10), text);
  EXPECT_EQ(first_bytes(text, 99), text);
}

RC_GTEST_PROP(Utf8, APrefixIsTheLongestThatFits, ()) {
  const std::string text = to_utf8(*bytes());
  const auto most = *rc::gen::inRange<std::size_t>(0, text.size() + 2);
  const std::string_view by_bytes = first_bytes(text, most), by_characters = first_characters(text, most);
  RC_ASSERT(is_utf8(by_bytes) && by_bytes.size() <= most);
  RC_ASSERT(by_bytes.size() + 4 > most || by_bytes.size() == text.size());
  RC_ASSERT(is_utf8(by_characters));
  RC_ASSERT(length_in_characters(by_characters) == std::min(most, length_in_characters(text)));
}

TEST(Text, ShortenShowsThatSomethingWasCut) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 5), "abcd…");
  EXPECT_EQ(shorten("abcdef", 1), "…");
  EXPECT_EQ(shorten("abcdef", 0), "");
  EXPECT_EQ(shorten("", 0), "");
}

TEST(Text, ShortenNeverCutsACharacterInHalf) { EXPECT_EQ(shorten("éééé", 3), "éé…"); }

RC_GTEST_PROP(Text, ShortenedTextHasAtMostAsManyCharacters, ()) {
  const std::string text = to_utf8(*bytes());
  const auto most = *rc::gen::inRange<std::size_t>(0, 20);
  const std::string shortened = shorten(text, most);
  RC_ASSERT(is_utf8(shortened));
  RC_ASSERT(length_in_characters(shortened) <= most);
  RC_ASSERT(shorten(shortened, most) == shortened);
}

TEST(Text, TextThatDiffersInCaseAloneFoldsToTheSame) {
  EXPECT_EQ(fold_case("Hello, WORLD 42"), "hello, world 42");
  EXPECT_EQ(fold_case("ÄÖÜ ÉÇ"), fold_case("äöü éç"));
  EXPECT_EQ(fold_case("ПРИВЕТ"), "привет");
  EXPECT_EQ(fold_case("ΟΔΟΣ"), fold_case("οδος"));
  EXPECT_EQ(fold_case("mixed É and ASCII"), "mixed é and ascii");
}

TEST(Text, LettersThatOnlyLookAlikeFoldToDifferentOnes) {
  EXPECT_NE(fold_case("ı"), fold_case("i"));
  EXPECT_NE(fold_case("İ"), fold_case("I"));
  EXPECT_NE(fold_case("а"), fold_case("a"));  // the first is Cyrillic
}

TEST(Text, FoldingTwiceIsFoldingOnceForEveryCharacter) {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (is_surrogate(point)) continue;
    const std::string once = fold_case(encoded(point));
    ASSERT_TRUE(is_utf8(once) && fold_case(once) == once) << static_cast<std::uint32_t>(point);
  }
}

TEST(Text, FoldingDoesNotDependOnTheLocaleOfTheProcess) {
  const std::string before = setlocale(LC_ALL, nullptr);
  ASSERT_NE(setlocale(LC_ALL, "C"), nullptr);
  EXPECT_EQ(fold_case("ÄΣЖ"), "äσж");
  setlocale(LC_ALL, before.c_str());
}

RC_GTEST_PROP(Text, FoldedTextIsWellFormed, ()) { RC_ASSERT(is_utf8(fold_case(*bytes()))); }

}  // namespace
}  // namespace townpost
