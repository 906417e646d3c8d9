#include "base/toml.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

TEST(TomlFile, IsAFlatMapWithLines) {
  const auto file = TomlFile::parse("top = true\n\n[a]\nn = -3\n[a.b]\ntext = \"x\\ty\"\nc.d = 1\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto& entries = file->entries();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries.at("top").value, TomlFile::Value(true));
  EXPECT_EQ(entries.at("top").line, 1);
  EXPECT_EQ(entries.at("a.n").value, TomlFile::Value(std::int64_t{-3}));
  EXPECT_EQ(entries.at("a.n").line, 4);
  EXPECT_EQ(entries.at("a.b.text").value, TomlFile::Value(std::string("x\ty")));
  EXPECT_EQ(entries.at("a.b.c.d").line, 7);
}

TEST(TomlFile, AnEmptyFileHasNothing) {
  EXPECT_TRUE(TomlFile::parse("")->entries().empty());
  EXPECT_TRUE(TomlFile::parse("# only a remark\n[section]\n")->entries().empty());
}

TEST(TomlFile, TablesAreListedEvenIfTheyHoldNothing) {
  const auto file = TomlFile::parse("[a]\nx = 1\n\n[b.c]\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->tables().at("a"), 1);
  EXPECT_EQ(file->tables().at("b.c"), 4);
  EXPECT_EQ(file->tables().count("a.x"), 0u);
}

TEST(TomlFile, ABrokenFileNamesTheLine) {
  for (const auto* text :
       {"a = 1\nb = \n", "a = 1\n[x\n", "a = 1\na = 2\n", "ok = 1\n= 3\n", "ok = 1\nx = \"\xff\"\n"}) {
    const auto file = TomlFile::parse(text);
    ASSERT_FALSE(file.has_value()) << text;
    EXPECT_EQ(file.error().code, Code::usage);
    EXPECT_TRUE(file.error().message.starts_with("line 2: ")) << file.error().message;
  }
}

TEST(TomlFile, OtherKindsOfValuesAreRefusedByName) {
  for (const auto* value : {"1.5", "[1, 2]", "[\"a\", 2]", "[[\"a\"]]", "1979-05-27", "07:32:00", "[{a = 1}]"}) {
    const auto file = TomlFile::parse(std::string("[s]\nkey = ") + value + "\n");
    ASSERT_FALSE(file.has_value()) << value;
    EXPECT_EQ(file.error().message, "line 2: s.key must be a text, a whole number, true, false or a list of texts");
  }
}

TEST(TomlFile, AListOfTextsIsAValue) {
  const auto file = TomlFile::parse("[s]\nwords = [\"a b\",\n  \"\"]\nnone = []\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(std::get<TomlFile::Words>(file->entries().at("s.words").value), (TomlFile::Words{"a b", ""}));
  EXPECT_EQ(file->entries().at("s.words").line, 2);
  EXPECT_TRUE(std::get<TomlFile::Words>(file->entries().at("s.none").value).empty());
}

TEST(TomlFile, OtherKindsOfValuesAreListedWhereThatIsAskedFor) {
  const auto file = TomlFile::parse("[s]\nlist = [1, 2]\nkey = 1\n", TomlFile::Others::listed);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->others().at("s.list"), 2);
  EXPECT_EQ(file->entries().size(), 1u);
}

RC_GTEST_PROP(TomlFile, AnyBytesAreAFileOrAUsageError, (const std::string& bytes)) {
  const auto file = TomlFile::parse(bytes);
  if (!file) RC_ASSERT(file.error().code == Code::usage);
}

}  // namespace
}  // namespace townpost
