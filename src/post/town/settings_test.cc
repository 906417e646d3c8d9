#include "post/town/settings.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

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
  EXPECT_EQ(settings.log_age, std::chrono::hours(7 * 24));
  EXPECT_EQ(settings.log_entries, 1'000'000);
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
  EXPECT_EQ(limits.wake_spacing_s, 30);
  EXPECT_EQ(limits.wakes_per_hour, 20);
  EXPECT_EQ(limits.urgent_wakes_per_hour, 10);
  EXPECT_EQ(limits.town_wakes_per_hour, 60);
  EXPECT_EQ(limits.mail_spacing_s, 5);
}

TEST(Settings, TextsAreRead) {
  const Settings settings = parsed(
      "[town]\nname = \"springfield\"\nhuman = \"user\"\nescalation = \"beads/witness\"\n"
      "[mail]\nwisp_age = \"90m\"\n"
      "[log]\nage = \"30d\"\nentries = 5000\n");
  EXPECT_EQ(settings.town_name, "springfield");
  EXPECT_EQ(settings.human, "user");
  EXPECT_EQ(settings.escalation.str(), "beads/witness");
  EXPECT_EQ(settings.wisp_age, std::chrono::minutes(90));
  EXPECT_EQ(settings.log_age, std::chrono::hours(30 * 24));
  EXPECT_EQ(settings.log_entries, 5000);
}

TEST(Settings, EveryLimitIsReadIntoItsPlace) {
  const Settings settings = parsed(
      "[limits]\nenabled = false\nhops_held = 1\nhops_refused = 2\npair_per_minute = 3\n"
      "pair_per_hour = 4\nself_per_minute = 5\nsender_per_hour = 6\nsender_per_day = 7\n"
      "duplicate_minutes = 0\nwake_spacing_s = 8\nwakes_per_hour = 9\nurgent_wakes_per_hour = 10\n"
      "town_wakes_per_hour = 11\nmail_spacing_s = 12\n");
  EXPECT_EQ(settings.limits, (Limits{false, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 12}));
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, EveryRoleMayHaveABudget) {
  for (const std::string role : {"polecat", "dog", "crew", "session", "witness", "refinery", "deacon", "mayor"}) {
    const Settings settings = parsed(cat("[budgets]\n", role, " = 7\n"));
    EXPECT_EQ(settings.budgets.at(role), 7) << role;
    EXPECT_TRUE(settings.warnings.empty()) << role;
  }
}

TEST(Settings, AgentsLiveByDefaultAsTheSpecificationSays) {
  const Settings settings = parsed("");
  for (const auto role : {Role::polecat, Role::crew, Role::dog, Role::session, Role::witness, Role::deacon})
    EXPECT_EQ(settings.policy(role), RolePolicy()) << name(role);
  const RolePolicy usual;
  EXPECT_TRUE(usual.exits_on_idle);
  EXPECT_EQ(usual.idle_timeout, std::chrono::minutes(2));
  EXPECT_FALSE(usual.gupp_exempt);
  EXPECT_EQ(usual.default_mode, NudgeMode::wait_idle);
  EXPECT_EQ(settings.policy(Role::refinery).idle_timeout, std::chrono::minutes(10));
  EXPECT_FALSE(settings.policy(Role::mayor).exits_on_idle);
  EXPECT_TRUE(settings.policy(Role::mayor).gupp_exempt);  // K025
  EXPECT_EQ(settings.nudge_depth, 50);
  EXPECT_EQ(settings.urgent_mail, NudgeMode::wait_idle);
}

TEST(Settings, EveryRoleMayLiveDifferently) {
  for (const std::string role : {"polecat", "crew", "dog", "session", "witness", "refinery", "deacon", "mayor"}) {
    const Settings settings = parsed(cat("[roles.", role,
                                         "]\nexits_on_idle = false\nidle_timeout = \"7m\"\ngupp_exempt = true\n"
                                         "default_mode = \"queue\"\n"));
    EXPECT_EQ(settings.roles.at(role), (RolePolicy{false, std::chrono::minutes(7), true, NudgeMode::queue, true}))
        << role;
    EXPECT_TRUE(settings.warnings.empty()) << role;
  }
}

TEST(Settings, ARoleThatIsNoAddressMayBeSomebodys) {
  const Settings settings = parsed(
      "[roles]\nchiron = \"greenplace/crew/max\"\nSpawner = \"queue:spawns\"\n[roles.crew]\ngupp_exempt = true\n");
  EXPECT_EQ(settings.role_addresses.find("chiron")->second, "greenplace/crew/max");
  EXPECT_EQ(settings.role_addresses.find("spawner")->second, "queue:spawns");
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(parsed("[roles]\nmayor = \"max\"\n").warnings,
            std::vector<std::string>{"town.toml, line 2: nothing reads roles.mayor"});
}

TEST(Settings, OneWordAboutARoleLeavesTheOthersAsTheyAre) {
  const Settings settings = parsed("[roles.mayor]\nidle_timeout = \"7m\"\n[roles.refinery]\ngupp_exempt = true\n");
  EXPECT_EQ(settings.policy(Role::mayor),
            (RolePolicy{false, std::chrono::minutes(7), true, NudgeMode::wait_idle, true}));
  EXPECT_EQ(settings.policy(Role::refinery), (RolePolicy{true, std::chrono::minutes(10), true, NudgeMode::wait_idle}));
}

TEST(Settings, NudgesHaveADepthAndAWayForUrgentMail) {
  const Settings settings = parsed("[nudges]\ndepth = 7\nurgent_mail = \"soon\"\nmail_commands = \"bd\"\n");
  EXPECT_TRUE(settings.bd_commands);
  EXPECT_EQ(settings.nudge_depth, 7);
  EXPECT_EQ(settings.urgent_mail, NudgeMode::soon);
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, TheLadderOfWarningsIsRead) {
  EXPECT_EQ(parsed("").gupp, (Gupp{std::chrono::minutes(15), std::chrono::minutes(60), std::chrono::minutes(120)}));
  const Settings settings = parsed("[gupp]\nwarn = \"5m\"\nescalate = \"6m\"\nstop = \"7m\"\n");
  EXPECT_EQ(settings.gupp, (Gupp{std::chrono::minutes(5), std::chrono::minutes(6), std::chrono::minutes(7)}));
  EXPECT_TRUE(settings.warnings.empty());
}

TEST(Settings, ALadderThatDoesNotClimbIsPutInOrderWithAMessage) {
  const Settings settings = parsed("[gupp]\nwarn = \"90m\"\nstop = \"30m\"\n");
  EXPECT_EQ(settings.gupp, (Gupp{std::chrono::minutes(90), std::chrono::minutes(90), std::chrono::minutes(90)}));
  ASSERT_EQ(settings.warnings.size(), 2u);
  EXPECT_NE(settings.warnings[0].find("gupp.escalate"), std::string::npos) << settings.warnings[0];
  EXPECT_NE(settings.warnings[1].find("gupp.stop"), std::string::npos) << settings.warnings[1];
  const Settings hasty = parsed("[gupp]\nwarn = \"1s\"\n");
  EXPECT_EQ(hasty.gupp.warn, std::chrono::minutes(1));
  ASSERT_EQ(hasty.warnings.size(), 1u);
  EXPECT_EQ(hasty.warnings[0].find("gupp.a minute"), std::string::npos) << hasty.warnings[0];
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
      {"[nudges]\ndepth = -1\n", 2},
      {"[nudges]\nurgent_mail = \"queue\"\n", 2},
      {"[nudges]\nurgent_mail = 3\n", 2},
      {"[nudges]\nmail_commands = \"mutt\"\n", 2},
      {"[roles.crew]\nexits_on_idle = \"no\"\n", 2},
      {"[roles.crew]\ngupp_exempt = 1\n", 2},
      {"[roles.crew]\n\nidle_timeout = \"soon\"\n", 3},
      {"[roles.crew]\nidle_timeout = 120\n", 2},
      {"[roles.crew]\ndefault_mode = \"later\"\n", 2},
      {"[roles]\nchiron = 3\n", 2},
      {"[roles]\n\nchiron = \"a b\"\n", 3},
      {"[town]\nname = [\"a\"]\n", 2},
      {"[sorts]\nof = [\"things\"]\n", 2},
      {"[gupp]\nwarn = \"soon\"\n", 2},
      {"[gupp]\nstop = 3\n", 2},
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
  Settings settings = parsed(
      "[town]\nname = \"a\"\n[limits]\nhops = 3\n[sorts]\nof = \"things\"\n"
      "[roles.baker]\nidle_timeout = \"1m\"\n[roles.crew]\nhat = \"red\"\n");
  std::sort(settings.warnings.begin(), settings.warnings.end());
  EXPECT_EQ(settings.warnings, (std::vector<std::string>{"town.toml, line 10: nothing reads roles.crew.hat",
                                                         "town.toml, line 4: nothing reads limits.hops",
                                                         "town.toml, line 6: nothing reads sorts.of",
                                                         "town.toml, line 8: nothing reads roles.baker.idle_timeout"}));
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
    const bool shows_something = line.starts_with("# [") || line.find(" = ") != std::string_view::npos;
    if (line.starts_with("# ") && shows_something) line.remove_prefix(2);
    uncommented += cat(line, "\n");
  }
  const Settings settings = parsed(uncommented);
  EXPECT_TRUE(settings.warnings.empty());
  EXPECT_EQ(settings.limits, Limits());
  EXPECT_EQ(settings.human, Settings().human);
  EXPECT_EQ(settings.escalation, Settings().escalation);
  EXPECT_EQ(settings.wisp_age, Settings().wisp_age);
  EXPECT_EQ(settings.budgets, Settings().budgets);
  EXPECT_EQ(settings.nudge_depth, Settings().nudge_depth);
  EXPECT_EQ(settings.urgent_mail, Settings().urgent_mail);
  EXPECT_EQ(settings.gupp, Settings().gupp);
  for (const auto role : {Role::polecat, Role::mayor, Role::refinery}) {
    auto policy = settings.policy(role);
    policy.asked_to_exit = false;  // to say the default is to ask for it
    EXPECT_EQ(policy, Settings().policy(role)) << name(role);
  }
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
