#include "delivery/tmux/typed_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "base/text.h"

namespace townpost {
namespace {

TEST(TypedText, KeepsQuotesBackticksSemicolonsAndOtherScripts) {
  const std::string text = "say \"hi\" to 'max' in `code`; -x Enter C-c 日本語 😀 e\u0301;";
  EXPECT_EQ(typed_text(text), text);
}

TEST(TypedText, RemovesDelNulAndOtherControlCharacters) {
  EXPECT_EQ(typed_text(std::string("a\0b\x7f"
                                   "c\x01\x1f\r\bd",
                                   10)),
            "abcd");
  EXPECT_EQ(typed_text("a\u0085b\u009b31mc"), "ab31mc");
}

TEST(TypedText, MakesEscapeSequencesHarmless) {
  EXPECT_EQ(typed_text("a\x1b[201~\rb\x1b]0;title\x07"), "a[201~b]0;title");
}

TEST(TypedText, KeepsNewlinesInsideAndMakesTabsSpaces) {
  EXPECT_EQ(typed_text("\none\r\n\ttwo\n\nthree\n\n"), "one\n two\n\nthree");
}

TEST(TypedText, ReplacesIllFormedUtf8) {
  EXPECT_EQ(typed_text("a\xff"
                       "b\xf0\x9f\x98"),
            "a\uFFFDb\uFFFD");
}

TEST(TypedText, BreaksMentionsOfFilesAnywhere) {
  EXPECT_EQ(typed_text("read @/etc/passwd and me@home"), "read ＠/etc/passwd and me＠home");
}

TEST(TypedText, BreaksCommandsAtTheBeginningOfAnyLine) {
  EXPECT_EQ(typed_text("/exit\n  !rm -rf x\n\t# note\na / b ! c # d"), "／exit\n  ！rm -rf x\n ＃ note\na / b ! c # d");
}

TEST(TypedText, BreaksACommandThatHidesBehindAControlCharacter) { EXPECT_EQ(typed_text("\x1b/exit"), "／exit"); }

TEST(TypedText, BreaksACommandThatHidesBehindABlankOrInvisibleCharacter) {
  for (const std::string blank : {"\u00A0", "\u3000", "\u0301"})
    EXPECT_EQ(typed_text(cat(blank, "/exit")), cat(blank, "／exit"));
  for (const std::string hidden : {"\u200B", "\uFEFF", "\u2060", "\u200D", "\U000E0041"})
    EXPECT_EQ(typed_text(cat(hidden, "/exit")), "／exit");
}

TEST(TypedText, LeavesOutWhatNobodySeesAndKeepsWhatJoins) {
  EXPECT_EQ(typed_text("a\u202Eb\u200B\u2028c\U000E0041"), "abc");
  EXPECT_EQ(typed_text("👩\u200D🚀 می\u200Cخواهم"), "👩\u200D🚀 می\u200Cخواهم");
}

TEST(TypedText, BreaksTheKeywordsOfAHarness) {
  const auto claude = harness_profile("claude").value();
  EXPECT_EQ(typed_text("ultrathink, UltraCode and ultraplan/ULTRAREVIEW", claude),
            "ultra-think, Ultra-Code and ultra-plan/ULTRA-REVIEW");
  EXPECT_EQ(typed_text("ultra\u200Bthink ultrathin\u212A", claude), "ultra-think ultra-thin\u212A");
  EXPECT_EQ(typed_text("fix-ultrathink é\u00E9ultrathink", claude),
            "fix-ultra-think éé"
            "ultra-think");
  EXPECT_EQ(typed_text("a\u3000ultrathink\u00A0b", claude), "a\u3000ultra-think\u00A0b");
  for (const std::string other : {"ultrathinking", "my_ultrathink", "think hard", "ultra think", "a workflow"})
    EXPECT_EQ(typed_text(other, claude), other);
  EXPECT_EQ(typed_text("ultrathink"), "ultrathink") << "nobody acts on it";
}

TEST(TypedText, LeavesOutSkinTonesWhereAHarnessDraws) {
  const std::string thumb = "\U0001F44D\U0001F3FD!";
  EXPECT_EQ(typed_text(thumb, harness_profile("claude").value()), "\U0001F44D!");
  EXPECT_EQ(typed_text(thumb), thumb);
}

TEST(TypedText, DoesNotEndInABackslashThatWouldSwallowEnter) { EXPECT_EQ(typed_text("C:\\"), "C:\\ "); }

TEST(TypedText, IsNothingWhenNothingIsLeft) { EXPECT_EQ(typed_text("\n\x1b\r\n"), ""); }

/// Any bytes, with those that matter far more often than chance would have them.
rc::Gen<std::string> hostile_text() {
  const auto piece = rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); }),
      rc::gen::map(rc::gen::elementOf(std::string("@/!#\\\n\t \x1b\r\x7f;-a")),
                   [](char c) { return std::string(1, c); }),
      rc::gen::element<std::string>("\u200B", "\u200D", "\u202E", "\uFEFF", "\U000E0041", "\u009B", "🚀", "\uFE0F"));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) { return join(pieces, ""); });
}

TEST(TypedText, TypingItAgainChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    const auto claude = harness_profile("claude").value();
    const auto once = typed_text(*hostile_text(), claude);
    RC_ASSERT(typed_text(once, claude) == once);
  }));
}

TEST(TypedText, HoldsNothingThatATerminalOrHarnessActsOn) {
  EXPECT_TRUE(rc::check([] {
    const auto typed = typed_text(*hostile_text());
    RC_ASSERT(is_utf8(typed) && for_terminal(typed) == typed);
    RC_ASSERT(std::none_of(typed.begin(), typed.end(),
                           [](char c) { return c == 0x7f || c == '@' || (c != '\n' && c >= 0 && c < ' '); }));
    for (const auto line : split(typed, '\n')) {
      const auto trimmed = trim(line);
      const bool acts = !trimmed.empty() && std::string_view("/!#").find(trimmed.front()) != std::string_view::npos;
      RC_ASSERT_FALSE(acts);
    }
  }));
}

TEST(TypedText, KeepsEveryCharacterThatNobodyActsOn) {
  EXPECT_TRUE(rc::check([] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019 ;-'\"`$&*(){}[]<>|~?,.")));
    RC_ASSERT(typed_text(text) == text);
  }));
}

}  // namespace
}  // namespace townpost
