#include "tty/keys.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {
namespace {

using Name = Key::Name;

std::vector<Key> keys_in(KeyReader& reader) {
  std::vector<Key> out;
  while (const auto key = reader.next()) out.push_back(*key);
  return out;
}

std::vector<Key> keys_of(std::string_view bytes) {
  KeyReader reader;
  reader.add(bytes);
  reader.settle();
  return keys_in(reader);
}

std::vector<Name> names_of(std::string_view bytes) {
  std::vector<Name> out;
  for (const auto& key : keys_of(bytes)) out.push_back(key.name);
  return out;
}

/// Text keys as text.
std::string typed(std::string_view bytes) {
  std::string out;
  for (const auto& key : keys_of(bytes))
    if (key.name == Name::character) append_utf8(out, key.point);
  return out;
}

TEST(Keys, AreReadFromWhatTerminalsSend) {
  EXPECT_EQ(names_of("\x1b[A\x1b[B\x1bOC\x1bOD"), (std::vector{Name::up, Name::down, Name::right, Name::left}));
  EXPECT_EQ(names_of("\x1b[H\x1b[F\x1b[1~\x1b[4~"), (std::vector{Name::home, Name::end, Name::home, Name::end}));
  EXPECT_EQ(names_of("\x1b[5~\x1b[6~\x1b[3~\x1b[Z"),
            (std::vector{Name::page_up, Name::page_down, Name::remove, Name::back_tab}));
  EXPECT_EQ(names_of("\r\n\t\x7f\b"),
            (std::vector{Name::enter, Name::enter, Name::tab, Name::backspace, Name::backspace}));
  EXPECT_EQ(keys_of("\x03"), std::vector<Key>({{.name = Name::control, .point = 'c'}}));
  EXPECT_EQ(keys_of("\x1bx"), std::vector<Key>({{.point = 'x', .alt = true}}));
}

TEST(Keys, AreLettersOfAnyScript) {
  EXPECT_EQ(typed("aß日🙂"), "aß日🙂");
  EXPECT_EQ(typed("a\xff\xc3z"), "az") << "what is no character is left out";
}

TEST(Keys, MayComeInPieces) {
  const std::string_view bytes = "a\x1b[5~日\x1b[1;3A!";
  const auto whole = keys_of(bytes);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    KeyReader reader;
    reader.add(bytes.substr(0, cut));
    reader.add(bytes.substr(cut));
    reader.settle();
    EXPECT_EQ(keys_in(reader), whole) << cut;
  }
}

TEST(Keys, EscapeAloneIsAKeyOnceNothingFollows) {
  KeyReader reader;
  reader.add("\x1b");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.is_within());
  reader.settle();
  EXPECT_EQ(reader.next()->name, Name::escape);
  EXPECT_FALSE(reader.is_within());
}

TEST(Keys, WhatIsNotKnownIsLeftOutWhole) {
  EXPECT_EQ(typed("a\x1b[38;5;1mb"), "ab");
  EXPECT_EQ(typed("a\x1b[?1;2cb\x1b[>0qb"), "abb") << "answers of terminals are no keys";
}

TEST(Keys, PastedTextIsTextOnly) {
  const auto keys = keys_of("\x1b[200~q\rx\x1b[A\x03\x1b[201~q");
  std::string text;
  for (const auto& key : keys) {
    EXPECT_TRUE(key.name == Name::character || key.name == Name::up);
    if (key.pasted) append_utf8(text, key.point);
  }
  EXPECT_EQ(text, "q x");
  EXPECT_FALSE(keys.back().pasted);
}

TEST(Keys, KeepLittleWhateverComes) {
  KeyReader reader;
  reader.add("\x1b[" + std::string(100'000, '1'));
  reader.settle();
  EXPECT_FALSE(reader.is_within());
  keys_in(reader);
  reader.add("a");
  EXPECT_EQ(reader.next()->point, U'a');
}

TEST(Keys, HoldNoControlCharacters) {
  rc::check("whatever bytes come, characters are characters", [](const std::string& bytes) {
    for (const auto& key : keys_of(bytes))
      if (key.name == Name::character) RC_ASSERT(key.point >= 0x20 && key.point != 0x7f);
  });
}

}  // namespace
}  // namespace townpost
