#include "base/shown.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

TEST(Shown, EscapesWhateverIsPutIn) {
  EXPECT_EQ(shown("a\x1b[31m", std::string("b\a"), std::string_view("c\u009b"), '\r', 7).bytes(),
            "a\\x1b[31mb\\x07c\\u{9b}\\x0d7");
}

TEST(Shown, StressesWithoutObeyingTheText) {
  EXPECT_EQ(Shown::stressed("x\x1b[0m", Stress::red).bytes(), "\x1b[31mx\\x1b[0m\x1b[0m");
  EXPECT_EQ(shown("a ", Shown::stressed("b", Stress::bold), " c").bytes(), "a \x1b[1mb\x1b[0m c");
}

TEST(Shown, OfALineIsOneLine) { EXPECT_EQ(Shown::line("two\nlines\tand\x1b").bytes(), "two lines and\\x1b\n"); }

TEST(Shown, OfJsonIsJson) { EXPECT_EQ(Shown::json("[\"\u202e\"]\n").bytes(), "[\"\\u202e\"]\n"); }

RC_GTEST_PROP(Shown, HoldsNoControlCharacterThatIsNotOurs, (const std::string& text)) {
  const auto out = shown(text, Shown(text), Shown::line(text)).bytes();
  RC_ASSERT(for_terminal(out) == out);
}

}  // namespace
}  // namespace townpost
