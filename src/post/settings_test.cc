#include "post/settings.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

Settings parsed(std::string_view toml) {
  auto settings = Settings::parse(toml);
  EXPECT_TRUE(settings.has_value()) << toml << ": " << settings.error().message;
  return settings ? *settings : Settings();
}

TEST(Settings, AnEmptyFileIsAWorkingTown) {
  const Settings settings = parsed("");
  EXPECT_EQ(settings.human, "overseer");
  EXPECT_EQ(settings.escalation.str(), "mayor/");
  EXPECT_EQ(settings.wisp_age, std::chrono::hours(24));
  EXPECT_EQ(settings.limits, Limits());
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, TheLimitsAreThoseOfTheSpecification) {
  const Limits limits;
  EXPECT_TRUE(limits.enabled);
  EXPECT_EQ(limits.hops_held, 8);
  EXPECT_EQ(limits.hops_refused, 16);
  EXPECT_EQ(limits.pair_per_minute, 10);
  EXPECT_EQ(limits.pair_per_hour, 30);
  EXPECT_EQ(limits.self_per_minute, 3);
  EXPECT_EQ(limits.sender_per_hour, 120);
  EXPECT_EQ(limits.sender_per_day, 600);
  EXPECT_EQ(limits.duplicate_minutes, 10);
}

TEST(Settings, TextsAreRead) {
  const Settings settings = parsed(
      "[town]\nname = \"springfield\"\nhuman = \"user\"\nescalation = \"beads/witness\"\n"
      "[mail]\nwisp_age = \"90m\"\n");
  EXPECT_EQ(settings.town_name, "springfield");
  EXPECT_EQ(settings.human, "user");
  EXPECT_EQ(settings.escalation.str(), "beads/witness");
  EXPECT_EQ(settings.wisp_age, std::chrono::minutes(90));
}

TEST(Settings, EveryLimitIsReadIntoItsPlace) {
  const Settings settings = parsed(
      "[limits]\nenabled = false\nhops_held = 1\nhops_refused = 2\npair_per_minute = 3\n"
      "pair_per_hour = 4\nself_per_minute = 5\nsender_per_hour = 6\nsender_per_day = 7\n"
      "duplicate_minutes = 0\n");
  EXPECT_EQ(settings.limits, (Limits{false, 1, 2, 3, 4, 5, 6, 7, 0}));
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, EveryRoleMayHaveABudget) {
  for (const std::string role : {"polecat", "dog", "crew", "session", "witness", "refinery", "deacon", "mayor"}) {
    const Settings settings = parsed(cat("[budgets]\n", role, " = 7\n"));
    EXPECT_EQ(settings.budgets.at(role), 7) << role;
    EXPECT_TRUE(settings.warnings.empty()) << role;
  }
}

TEST(Settings, ABrokenLineIsNamed) {
  const std::vector<std::pair<std::string, int>> broken = {
      {"[town]\nname = 3\n", 2},
      {"[town]\nname = \"\"\n", 2},
      {"[town]\n\nhuman = \"boss\"\n", 3},
      {"[town]\nescalation = \"a b\"\n", 2},
      {"[town]\nescalation = \"@crew\"\n", 2},
      {"[mail]\nwisp_age = \"soon\"\n", 2},
      {"[mail]\nwisp_age = 24\n", 2},
      {"[limits]\nenabled = 1\n", 2},
      {"[limits]\n# a remark\nhops_held = -1\n", 3},
      {"[limits]\nhops_held = \"8\"\n", 2},
      {"[limits]\nsender_per_day = 1000001\n", 2},
      {"[limits]\nhops_held = 1.5\n", 2},
      {"[limits]\nhops_held = \n", 2},
      {"[limits\n", 1},
      {"[town]\nname = \"a\"\nname = \"b\"\n", 3},
  };
  for (const auto& [toml, line] : broken) {
    const auto settings = Settings::parse(toml);
    ASSERT_FALSE(settings.has_value()) << toml;
    EXPECT_EQ(settings.error().code, Code::usage);
    EXPECT_TRUE(settings.error().message.starts_with("town.toml, line ")) << settings.error().message;
    EXPECT_NE(settings.error().message.find(cat("line ", line)), std::string::npos) << toml << settings.error().message;
    EXPECT_EQ(settings.error().message.find('\n'), std::string::npos);
    EXPECT_FALSE(settings.error().hint.empty());
  }
}

TEST(Settings, WhatNobodyReadsIsAWarningWithItsLine) {
  const Settings settings = parsed("[town]\nname = \"a\"\n[limits]\nhops = 3\n[sorts]\nof = \"things\"\n");
  ASSERT_EQ(settings.warnings.size(), 2u);
  EXPECT_EQ(settings.warnings[0], "town.toml, line 4: nothing reads limits.hops");
  EXPECT_EQ(settings.warnings[1], "town.toml, line 6: nothing reads sorts.of");
}

TEST(Settings, TheFileOfANewTownSetsOnlyItsName) {
  const Settings settings = parsed(new_town_toml("springfield"));
  EXPECT_EQ(settings.town_name, "springfield");
  EXPECT_EQ(settings.limits, Limits());
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, EverySettingThatTheNewFileShowsIsReadAndIsTheDefault) {
  std::string uncommented;
  const std::string file = new_town_toml("town");
  for (auto line : split(file, '\n')) {
    if (line.find("db.example") != std::string_view::npos) continue;  // an example of another value, no default
    if (line.starts_with("# ") && line.find(" = ") != std::string_view::npos) line.remove_prefix(2);
    uncommented += cat(line, "\n");
  }
  const Settings settings = parsed(uncommented);
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(settings.limits, Limits());
  EXPECT_EQ(settings.human, Settings().human);
  EXPECT_EQ(settings.escalation, Settings().escalation);
  EXPECT_EQ(settings.wisp_age, Settings().wisp_age);
  EXPECT_EQ(settings.budgets, Settings().budgets);
  EXPECT_EQ(settings.store, "sqlite");
}

TEST(Settings, TheNewFileOfASharedTownNamesItsStore) {
  EXPECT_EQ(parsed(new_town_toml("town")).store, "") << "nothing said: the file beside it";
  EXPECT_EQ(parsed(new_town_toml("town", "postgres://db/\"town\"?host=/a\\b")).store,
            "postgres://db/\"town\"?host=/a\\b");
}

RC_GTEST_PROP(Settings, ATownMayHaveAnyName, ()) {
  const auto piece = rc::gen::element<std::string>("a", "\"", "\\", "'", "#", "]", "é", " ", "\\u0041", "\t", "\n",
                                                   "\x7f", "\x01", "=");
  const auto name = join(*rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece)), "");
  const auto settings = Settings::parse(new_town_toml(name));
  RC_ASSERT(settings.has_value());
  RC_ASSERT(settings->town_name == name);
}

}  // namespace
}  // namespace townpost
