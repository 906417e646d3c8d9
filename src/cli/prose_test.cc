#include "cli/prose.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

std::string at(std::size_t width, std::string_view text, std::size_t indent = 0) {
  return prose(text, {.terminal = width > 0, .width = width}, indent).bytes();
}

TEST(Prose, BreaksBetweenWords) {
  EXPECT_EQ(at(20, "gt: there is no agent of that name"), "gt: there is no\nagent of that name\n");
  EXPECT_EQ(at(20, "  alice: in the inbox until noon", 4), "  alice: in the\n    inbox until noon\n");
}

TEST(Prose, KeepsACommandInOnePiece) {
  EXPECT_EQ(at(20, "not known; gt mail directory --json lists it; and so on"),
            "not known;\ngt mail directory --json lists it;\nand so on\n");
}

TEST(Prose, IntoAPipeIsOneLine) { EXPECT_EQ(at(0, "one two three four"), "one two three four\n"); }

TEST(Prose, ThatFitsIsOneLine) { EXPECT_EQ(at(18, "one two three four"), "one two three four\n"); }

}  // namespace
}  // namespace townpost
