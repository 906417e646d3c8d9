#include "cli/options.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Words = std::vector<std::string>;
using Takes = Option::Takes;

/// `-s, --subject TEXT`, `--message TEXT` (also `--body`), `--wait[=TIME]`, `-q, --quiet`, `-h, --help`.
struct Line {
  std::vector<Option> options = {{.name = "subject", .takes = Takes::a_value, .letter = 's'},
                                 {.name = "message", .takes = Takes::a_value, .also = "body"},
                                 {.name = "wait", .takes = Takes::a_duration_or_none, .alone = "365d"},
                                 {.name = "quiet", .letter = 'q'},
                                 {.name = "help", .letter = 'h'}};
  WordsRead read;
  explicit Line(const Words& words) { read = read_words(options, words); }
  Words of(std::string_view name) const {
    for (const auto& option : options)
      if (option.name == name) return option.values;
    return {};
  }
};

TEST(ReadWords, AValueStandsBehindItsOptionOrAtIt) {
  for (const Words& words :
       {Words{"--subject", "red"}, Words{"--subject=red"}, Words{"-s", "red"}, Words{"-sred"}, Words{"-qsred"}}) {
    const Line line(words);
    EXPECT_TRUE(line.read.understood) << words.front();
    EXPECT_EQ(line.of("subject"), Words{"red"}) << words.front();
    EXPECT_TRUE(line.read.positional.empty()) << words.front();
  }
}

TEST(ReadWords, AValueMayLookLikeAnOption) {
  const Line line({"-s", "--help", "--message", "--", "--quiet"});
  EXPECT_TRUE(line.read.understood);
  EXPECT_EQ(line.of("subject"), Words{"--help"});
  EXPECT_EQ(line.of("message"), Words{"--"});
  EXPECT_TRUE(line.of("help").empty());
  EXPECT_EQ(line.of("quiet").size(), 1u);
}

TEST(ReadWords, AnEmptyValueIsAValue) {
  EXPECT_EQ(Line({"--subject="}).of("subject"), Words{""});
  EXPECT_EQ(Line({"--subject", ""}).of("subject"), Words{""});
}

TEST(ReadWords, AnOptionMayHaveTwoNamesAndBeGivenTwice) {
  EXPECT_EQ(Line({"--message", "a", "--body=b=c"}).of("message"), (Words{"a", "b=c"}));
}

TEST(ReadWords, WhatHasAMeaningAloneTakesADurationBehindIt) {
  for (const Words& words : {Words{"--wait", "5s"}, Words{"--wait=5s"}}) {
    const Line line(words);
    EXPECT_EQ(line.of("wait"), Words{"5s"});
    EXPECT_TRUE(line.read.positional.empty());
  }
  EXPECT_EQ(Line({"--wait", "2 hours"}).of("wait"), Words{"2 hours"});
  EXPECT_EQ(Line({"--wait", "0"}).of("wait"), Words{"0"});
}

TEST(ReadWords, WhatHasAMeaningAloneLeavesAnyOtherWord) {
  for (const char* word : {"dispatch", "5th", "5 apples", "", "queue:5s", "-5s"}) {
    const Line line({"--wait", "--", word});
    EXPECT_EQ(line.of("wait"), Words{"365d"}) << word;
    EXPECT_EQ(line.read.positional, Words{word}) << word;
  }
  const Line line({"--wait", "dispatch", "5s"});
  EXPECT_EQ(line.of("wait"), Words{"365d"});
  EXPECT_EQ(line.read.positional, (Words{"dispatch", "5s"}));
  EXPECT_EQ(Line({"--wait"}).of("wait"), Words{"365d"});
}

TEST(ReadWords, ANumberWithoutAUnitBehindItIsNotTakenForSomethingElse) {
  const Line line({"--wait", "5"});
  EXPECT_EQ(line.of("wait"), Words{"5"}) << "to be refused as a duration";
  EXPECT_TRUE(line.read.positional.empty());
}

TEST(ReadWords, LettersThatTakeNothingMayStandTogether) {
  const Line line({"-qh"});
  EXPECT_EQ(line.of("quiet").size(), 1u);
  EXPECT_EQ(line.of("help").size(), 1u);
}

TEST(ReadWords, BehindADoubleDashNothingIsAnOption) {
  EXPECT_EQ(Line({"a", "--", "-q", "--"}).read.positional, (Words{"a", "-q", "--"}));
}

TEST(ReadWords, ADashAloneAndAnEmptyWordAreNoOptions) { EXPECT_EQ(Line({"-", ""}).read.positional, (Words{"-", ""})); }

TEST(ReadWords, WhatIsNotUnderstoodIsNamed) {
  struct Case {
    Words words;
    std::string message, hint;
  };
  const std::string help = "--help shows what this command takes";
  for (const auto& [words, message, hint] :
       std::vector<Case>{{{"--subjetc=x"}, "unknown option \"--subjetc=x\"", "did you mean --subject?"},
                         {{"-qx5"}, "unknown option \"-x5\"", help},
                         {{"--=x"}, "unknown option \"--=x\"", help},
                         {{"a", "-s"}, "-s needs a value", help},
                         {{"--body"}, "--body needs a value", help},
                         {{"--quiet=no"}, "--quiet takes no value", help}}) {
    const Line line(words);
    ASSERT_FALSE(line.read.understood) << words.front();
    EXPECT_EQ(line.read.understood.error().code, Code::usage);
    EXPECT_EQ(line.read.understood.error().message, message);
    EXPECT_EQ(line.read.understood.error().hint, hint);
  }
}

TEST(ReadWords, HelpIsFoundBehindWhatIsNotUnderstood) {
  const Line line({"--nonsense", "-z", "--help"});
  EXPECT_FALSE(line.read.understood);
  EXPECT_EQ(line.of("help").size(), 1u);
}

}  // namespace
}  // namespace townpost
