#include "ops/table.h"

#include <gtest/gtest.h>

#include <set>

namespace townpost {
namespace {

TEST(OpTable, EveryNameIsThereOnce) {
  std::set<std::string_view> names;
  for (const auto& entry : op_table()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(OpTable, EveryRowTellsWhatItDoesAndHow) {
  for (const auto& entry : op_table()) {
    const Op& op = entry.op();
    EXPECT_FALSE(op.summary.empty()) << entry.name;
    EXPECT_FALSE(op.examples.empty()) << entry.name << ": --help shows examples";
    EXPECT_FALSE(op.answer.empty()) << entry.name;
  }
}

TEST(OpTable, ArgumentsOfARowHaveDistinctNamesAndLetters) {
  for (const auto& entry : op_table()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    bool many_seen = false;
    for (const auto& arg : entry.op().args) {
      EXPECT_TRUE(names.insert(arg.name).second) << entry.name << " " << arg.name;
      EXPECT_FALSE(arg.help.empty()) << entry.name << " " << arg.name;
      if (arg.letter) {
        EXPECT_TRUE(letters.insert(arg.letter).second) << entry.name << " -" << arg.letter;
      }
      if (!arg.positional) continue;
      EXPECT_FALSE(many_seen) << entry.name << ": nothing can follow " << arg.name;
      many_seen = arg.many;
    }
  }
}

TEST(OpTable, DefaultsFitTheirKind) {
  for (const auto& entry : op_table())
    for (const auto& arg : entry.op().args) {
      if (arg.standard.empty()) continue;
      Arg alone = arg;
      alone.required = false;
      EXPECT_TRUE(Args::check({alone}, {}).has_value()) << entry.name << " " << arg.name;
    }
}

}  // namespace
}  // namespace townpost
