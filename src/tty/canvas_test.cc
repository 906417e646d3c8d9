#include "tty/canvas.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

constexpr Look kBold{.bold = true};
constexpr Look kRed{.colour = Look::Colour::red};

TEST(Canvas, CutsWhatIsTooLongAndLeavesOutWhatIsOutside) {
  Canvas canvas(10, 2);
  EXPECT_EQ(canvas.put(0, 0, "hello world and more", 10), 10);
  EXPECT_EQ(canvas.text(0), "hello wor…");
  EXPECT_EQ(canvas.put(8, 1, "abc", 10), 2);
  EXPECT_EQ(canvas.text(1), "        a…");
  EXPECT_EQ(canvas.put(0, 2, "below", 5), 0);
  EXPECT_EQ(canvas.put(-1, 0, "left", 5), 0);
  EXPECT_EQ(canvas.put(10, 0, "right", 5), 0);
}

TEST(Canvas, ObeysNothingThatIsPutOnIt) {
  Canvas canvas(40, 1);
  canvas.put(0, 0, "a\x1b[2Jb\nc\x07", 40);
  EXPECT_EQ(canvas.text(0), "a\\x1b[2Jb c\\x07");
  for (const bool colour : {true, false}) {
    const auto bytes = repaint(nullptr, canvas, colour);
    EXPECT_EQ(bytes.find('\x07'), std::string::npos);
    EXPECT_EQ(bytes.find('\n'), std::string::npos);
  }
}

TEST(Canvas, KeepsColumnsWithWideLetters) {
  Canvas canvas(12, 1);
  EXPECT_EQ(canvas.put(0, 0, "日本語", 12), 6);
  canvas.put(7, 0, "x", 1);
  EXPECT_EQ(canvas.text(0), "日本語 x");
  EXPECT_EQ(Canvas(5, 1).put(0, 0, "日本語", 5), 5) << "two letters and the mark that there is more";
}

TEST(Canvas, LeavesNoHalfOfAWideLetter) {
  Canvas canvas(6, 1);
  canvas.put(0, 0, "日本", 6);
  canvas.put(1, 0, "a", 1);
  EXPECT_EQ(canvas.text(0), " a本");
  canvas.put(2, 0, "b", 1);
  EXPECT_EQ(canvas.text(0), " ab");
}

TEST(Repaint, KeepsTextFromRightToLeftInItsPlace) {
  Canvas canvas(20, 1);
  canvas.put(0, 0, "a", 5);
  canvas.put(2, 0, "שלום", 6);
  canvas.put(8, 0, "b", 5);
  EXPECT_EQ(repaint(nullptr, canvas, false), "\x1b[0m\x1b[2J\x1b[1;1H\x1b[0ma \u2068שלום\u2069  b\x1b[K");
  EXPECT_EQ(canvas.text(0), "a שלום  b");
  canvas.put(4, 0, "x", 1);
  EXPECT_NE(repaint(nullptr, canvas, false).find("\u2068של\u2069x\u2068ם\u2069"), std::string::npos)
      << "also what is left of it: " << repaint(nullptr, canvas, false);
}

TEST(Repaint, WritesOnlyRowsThatChanged) {
  Canvas before(20, 3);
  before.put(0, 0, "one", 20);
  before.put(0, 1, "two", 20);
  Canvas now = before;
  EXPECT_EQ(repaint(&before, now, true), "");
  now.put(0, 1, "2", 20);
  const auto bytes = repaint(&before, now, true);
  EXPECT_EQ(bytes, "\x1b[2;1H\x1b[0m2wo\x1b[K");
}

TEST(Repaint, WritesEverythingOnAScreenOfAnotherSize) {
  const Canvas before(20, 3);
  Canvas now(21, 3);
  now.put(0, 0, "one", 20);
  EXPECT_TRUE(repaint(&before, now, true).starts_with("\x1b[0m\x1b[2J"));
  EXPECT_TRUE(repaint(nullptr, now, true).starts_with("\x1b[0m\x1b[2J"));
}

TEST(Repaint, UsesNoColourWhereNoneIsWanted) {
  Canvas canvas(20, 1);
  canvas.put(0, 0, "red", 20, kRed);
  canvas.put(4, 0, "bold", 20, kBold);
  EXPECT_NE(repaint(nullptr, canvas, true).find(";31m"), std::string::npos);
  const auto plain = repaint(nullptr, canvas, false);
  EXPECT_EQ(plain.find(";31"), std::string::npos) << plain;
  EXPECT_NE(plain.find("\x1b[0;1mbold"), std::string::npos) << "what counts is still to be seen";
}

TEST(Repaint, ClearsWhatWasLonger) {
  Canvas before(20, 1);
  before.put(0, 0, "a long line", 20);
  Canvas now(20, 1);
  EXPECT_EQ(repaint(&before, now, true), "\x1b[1;1H\x1b[0m\x1b[K");
}

}  // namespace
}  // namespace townpost
