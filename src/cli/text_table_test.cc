#include "cli/text_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/display_width.h"
#include "base/text.h"
#include "base/utf8.h"

namespace townpost {
namespace {

using Align = TableColumn::Align;
using Room = TableColumn::Room;

Table people() {
  return Table({{"N", Align::right}, {"WHO", Align::left, Room::less}, {"WHAT", Align::left, Room::first}, {"ID"}});
}

std::vector<std::string> lines_of(const Shown& text) {
  std::vector<std::string> out;
  for (const auto line : split(text.bytes(), '\n')) out.emplace_back(line);
  out.pop_back();
  return out;
}

TEST(Table, AlignsByWhatIsSeen) {
  auto table = people();
  table.add({{"1"}, {"max"}, {"日本語"}, {"aa"}});
  table.add({{"10"}, {"🚀"}, {"plain"}, {"b"}});
  EXPECT_EQ(table.drawn({}).bytes(),
            " N  WHO  WHAT    ID\n"
            " 1  max  日本語  aa\n"
            "10  🚀   plain   b\n");
}

TEST(Table, LeavesOutWhatIsEmptyInEveryRow) {
  auto table = people();
  table.add({{"1"}, {""}, {"x"}, {""}});
  table.add({{"2"}, {""}, {""}, {""}});
  EXPECT_EQ(table.drawn({}).bytes(), "N  WHAT\n1  x\n2\n");
  EXPECT_EQ(people().drawn({}).bytes(), "");
}

TEST(Table, ShortensProseThenNamesAndIdsNever) {
  auto table = people();
  table.add({{"1"}, {"somebody-with-a-long-name"}, {"a subject that goes on and on"}, {"hq-m-12345678"}});
  EXPECT_EQ(lines_of(table.drawn({.width = 60}))[1], "1  somebody-with-a…  a subject that goes on…   hq-m-12345678");
  EXPECT_EQ(lines_of(table.drawn({.width = 40}))[1], "1  somebod…  a subject t…  hq-m-12345678");
  EXPECT_EQ(lines_of(table.drawn({.width = 20}))[1], "1  someb…  a sub…  hq-m-12345678") << "too narrow";
}

TEST(Table, IsOfOneLineForEachRowAndEscapesWhatIsInIt) {
  auto table = people();
  table.add({{"1"}, {"a\nb"}, {"\x1b[31mred"}, {"x"}});
  EXPECT_EQ(lines_of(table.drawn({}))[1], "1  a b  \\x1b[31mred  x");
}

TEST(Table, KeepsRightToLeftInItsColumnOnATerminal) {
  auto table = people();
  table.add({{"1"}, {"max"}, {"שלום"}, {"x"}});
  EXPECT_EQ(lines_of(table.drawn({.terminal = true}))[1], "1  max  \u2068שלום\u2069  x");
  EXPECT_EQ(lines_of(table.drawn({}))[1], "1  max  שלום  x") << "a program reads no marks";
}

TEST(Table, StressesCellsAndHeadingsOnlyInColour) {
  Table table({{"A"}, {"B"}});
  table.add({{"x", Stress::red}, {"y"}});
  EXPECT_EQ(table.drawn({.colour = true}).bytes(), "\x1b[2mA\x1b[0m  \x1b[2mB\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
  EXPECT_EQ(table.drawn({}).bytes(), "A  B\nx  y\n");
}

TEST(Table, MayHaveNoHeadingsAndStandFurtherRight) {
  Table table({{"LONG HEADING"}, {"B"}});
  table.add({{"x"}, {"y"}});
  EXPECT_EQ(table.drawn({}, Table::Headings::none, 2).bytes(), "  x  y\n");
}

/// Text in any script: emoji, marks, East Asia, right to left, what is hidden.
std::string text_of(const std::vector<char32_t>& points) {
  std::string out;
  for (const auto point : points) append_utf8(out, 0x20 + point % 0x1FAFF);
  return out;
}

TEST(Table, HasNoGapsInsideACellThatLookLikeAnotherColumn) {
  Table table({{"FROM"}, {"SUBJECT"}});
  table.add({{"evil"}, {"x          overseer   URGENT"}});
  const auto lines = lines_of(table.drawn({.terminal = true, .width = 80}));
  EXPECT_NE(lines.back().find("x overseer URGENT"), std::string::npos) << lines.back();
  EXPECT_EQ(packed({{"hq-m-1"}, {"x   hq-m-2"}}).bytes(), "hq-m-1 x hq-m-2\n");
}

// The last column begins at the same place in every line, whatever stands before it.
RC_GTEST_PROP(Table, BeginsEachColumnAtOnePlace,
              (const std::vector<std::pair<std::vector<char32_t>, std::vector<char32_t>>>& cells,
               unsigned char width)) {
  auto table = people();
  for (const auto& [who, what] : cells) table.add({{"7"}, {cat("w", text_of(who))}, {text_of(what)}, {"END"}});
  const auto lines = lines_of(table.drawn({.terminal = true, .width = width}));
  RC_ASSERT(lines.size() == (cells.empty() ? 0 : cells.size() + 1));
  for (const auto& line : lines)
    RC_ASSERT(display_width(line) - (&line == &lines.front() ? 2u : 3u) == display_width(lines.back()) - 3u);
}

RC_GTEST_PROP(Table, FitsTheScreen, (const std::vector<std::string>& subjects)) {
  Table table({{"ID"}, {"SUBJECT", Align::left, Room::first}});
  for (const auto& subject : subjects) table.add({{"hq-m-1"}, {subject}});
  for (const auto& line : lines_of(table.drawn({.width = 30}))) RC_ASSERT(display_width(line) <= 30u);
}

TEST(Table, KeepsAColumnAsWideAsItMustBe) {
  Table table({{"SUBJECT", TableColumn::Align::left, TableColumn::Room::first},
               {"NOTE", TableColumn::Align::left, TableColumn::Room::less, 15}});
  table.add({{std::string(60, 's')}, {"by today 14:02 · ack · pinned"}});
  const auto drawn = table.drawn({.terminal = true, .width = 40}).bytes();
  EXPECT_NE(drawn.find("by today 14:02"), std::string::npos) << drawn;
}

}  // namespace
}  // namespace townpost
