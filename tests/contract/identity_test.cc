#include "post/identity.h"

#include "contract/town_fixture.h"
#include "post/hint.h"

namespace townpost {
namespace {

using Variables = std::map<std::string, std::string>;

class IdentityTest : public TownTest {
 protected:
  Result<Caller> who(const Variables& variables, const std::optional<std::string>& flag = std::nullopt,
                     const std::filesystem::path& folder = "/") {
    return identify(IdentityInputs::collect(flag, FixedEnvironment(variables, folder)), town());
  }
  std::string address(const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    const auto found = who(variables, flag);
    return found ? found->address.str() : cat(name(found.error().code), ": ", found.error().message);
  }
  Error error(const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    return error_of(who(variables, flag));
  }
};
ON_EVERY_STORE(IdentityTest);

TEST_P(IdentityTest, WithoutAnySignItIsTheHuman) {
  const Caller caller = must(who({}));
  EXPECT_EQ(caller.address, Address::human());
  EXPECT_TRUE(caller.is_person());
}

TEST_P(IdentityTest, ARoleWithItsCompanionsSpellsAnAddress) {
  const std::vector<std::pair<Variables, std::string>> roles = {
      {{{"GT_ROLE", "mayor"}}, "mayor/"},
      {{{"GT_ROLE", "deacon"}}, "deacon/"},
      {{{"GT_ROLE", "witness"}, {"GT_RIG", "beads"}}, "beads/witness"},
      {{{"GT_ROLE", "refinery"}, {"GT_RIG", "beads"}}, "beads/refinery"},
      {{{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}, {"GT_POLECAT", "nux"}}, "beads/polecats/nux"},
      {{{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "dog"}, {"GT_DOG_NAME", "fido"}}, "deacon/dogs/fido"},
      {{{"GT_ROLE", "beads/crew/max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "beads/max"}}, "beads/crew/max"},
      {{{"GT_ROLE", "mayor/"}}, "mayor/"},
      {{{"MAIL_IDENTITY", "beads/polecats/nux"}}, "beads/polecats/nux"},
      {{{"BD_ACTOR", "beads/polecats/nux"}}, "beads/polecats/nux"},
  };
  for (const auto& [variables, wanted] : roles) {
    EXPECT_EQ(address(variables), wanted);
    EXPECT_EQ(must(who(variables)).grade, Grade::env);
  }
}

TEST_P(IdentityTest, AnIncompleteRoleNamesWhatIsMissing) {
  const std::vector<std::pair<Variables, std::string>> incomplete = {
      {{{"GT_ROLE", "witness"}}, "GT_RIG"},
      {{{"GT_ROLE", "refinery"}, {"GT_RIG", ""}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_POLECAT", "nux"}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}, "GT_POLECAT"},
      {{{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}}, "GT_CREW"},
      {{{"GT_ROLE", "dog"}}, "GT_DOG_NAME"},
  };
  for (const auto& [variables, missing] : incomplete) {
    EXPECT_EQ(error(variables).code, Code::usage);
    EXPECT_NE(error(variables).message.find(missing), std::string::npos) << error(variables).message;
  }
}

TEST_P(IdentityTest, AnUnknownRoleIsAnError) {
  for (const auto* role : {"boss", "overseer", "Mayor", "\x1b[31m"}) {
    EXPECT_EQ(error({{"GT_ROLE", role}}).code, Code::usage) << role;
    EXPECT_EQ(error({{"GT_ROLE", role}}).message.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(error({{"GT_ROLE", "polecat"}, {"GT_RIG", "a/b"}, {"GT_POLECAT", "c"}}).code, Code::usage);
  EXPECT_EQ(error({{"GT_ROLE", "polecat"}, {"GT_RIG", ".."}, {"GT_POLECAT", "c"}}).code, Code::usage);
}

TEST_P(IdentityTest, WhoeverRunsInASupervisedSessionSpeaksForItsAgentOnly) {
  const auto within = [&](const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    auto inputs = IdentityInputs::collect(flag, FixedEnvironment(variables, "/"));
    inputs.supervised = "beads/crew/max";
    return identify(inputs, town());
  };
  const Caller caller = must(within({}));
  EXPECT_EQ(caller.address.str(), "beads/crew/max");
  EXPECT_EQ(caller.grade, Grade::pane);
  EXPECT_EQ(must(within({{"GT_ROLE", "beads/crew/max"}})).grade, Grade::pane);
  EXPECT_EQ(error_of(within({{"GT_ROLE", "mayor"}})).code, Code::forbidden);
  EXPECT_EQ(error_of(within({}, "overseer")).code, Code::forbidden);
  EXPECT_EQ(error_of(within({}, "nux")).code, Code::forbidden);
  auto inputs = IdentityInputs::collect(std::nullopt, FixedEnvironment({}, "/"));
  const auto key = inputs.key();
  inputs.supervised = "beads/crew/max";
  EXPECT_NE(inputs.key(), key) << "nor is it told what was looked up for the human";
}

TEST_P(IdentityTest, TheFirstHitWins) {
  Variables all = {{"GT_ROLE", "mayor"}, {"MAIL_IDENTITY", "beads/polecats/nux"}, {"BD_ACTOR", "beads/polecats/slit"}};
  EXPECT_EQ(address(all, "beads/crew/max"), "beads/crew/max");
  EXPECT_EQ(address(all), "mayor/");
  all.erase("GT_ROLE");
  EXPECT_EQ(address(all), "beads/polecats/nux");
  all.erase("MAIL_IDENTITY");
  EXPECT_EQ(address(all), "beads/polecats/slit");
}

TEST_P(IdentityTest, AFlagNamesSomebodyKnown) {
  EXPECT_EQ(must(who({}, "max")).address.str(), "beads/crew/max");
  EXPECT_EQ(must(who({}, "max")).grade, Grade::flag);
  EXPECT_EQ(error({}, "mxa").code, Code::not_found);
  EXPECT_NE(error({}, "mxa").hint.find("beads/crew/max"), std::string::npos) << error({}, "mxa").hint;
  EXPECT_FALSE(registry().agent("mxa").has_value()) << "a typo registers nobody";
}

TEST_P(IdentityTest, TheEnvironmentNeedsNoRegistration) {
  EXPECT_EQ(address({{"GT_ROLE", "beads/polecats/newcomer"}}), "beads/polecats/newcomer");
  EXPECT_FALSE(registry().agent("beads/polecats/newcomer").has_value()) << "asking who I am is no write";
}

TEST_P(IdentityTest, APaneBelongsToItsAgent) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:%5"}));
  const Variables pane = {{"TMUX_PANE", "%5"}};
  EXPECT_EQ(address(pane), "beads/crew/max");
  EXPECT_EQ(must(who(pane)).grade, Grade::pane);
  EXPECT_EQ(address({{"TMUX_PANE", "%6"}}), "overseer");
  must(registry().add_agent({.address = "beads/polecats/nux", .session = "tmux:nux"}));
  sessions().own = "nux";
  EXPECT_EQ(address({{"TMUX_PANE", "%6"}}), "beads/polecats/nux") << "by the session's name";
}

TEST_P(IdentityTest, AnAgentsPaneMaySpeakForNobodyElse) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:%5"}));
  const Variables pane = {{"TMUX_PANE", "%5"}};
  EXPECT_EQ(error(pane, "nux").code, Code::forbidden);
  EXPECT_EQ(error(pane, "overseer").code, Code::forbidden);
  EXPECT_EQ(error({{"TMUX_PANE", "%5"}, {"GT_ROLE", "mayor"}}).code, Code::forbidden);
  EXPECT_EQ(error({{"TMUX_PANE", "%5"}, {"MAIL_IDENTITY", "overseer"}}).code, Code::forbidden);
  EXPECT_EQ(must(who(pane, "max")).grade, Grade::pane);
  EXPECT_EQ(address({{"TMUX_PANE", "%5"}, {"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}),
            "beads/crew/max");
}

TEST_P(IdentityTest, NobodySpeaksAsTheTownItself) {
  EXPECT_FALSE(who({}, "townpost").has_value());
  EXPECT_FALSE(who({{"GT_ROLE", "townpost/"}}).has_value());
  EXPECT_FALSE(who({{"MAIL_IDENTITY", "townpost"}}).has_value());
}

TEST_P(IdentityTest, TheNearestAgentFileIsRead) {
  const auto folder = must(TemporaryFolder::make("agent"));
  const auto deep = folder.path() / "a" / "b";
  must(make_folders(deep));
  const auto write = [&](const std::string& text) { must(write_file_lightly(folder.path() / ".gt-agent", text)); };
  const auto found = [&](const Variables& variables = {}) { return who(variables, std::nullopt, deep); };
  write(R"({"role":"crew","rig":"beads","name":"max"})");
  EXPECT_EQ(must(found()).address.str(), "beads/crew/max");
  EXPECT_EQ(must(found({{"GT_ROLE", "mayor"}})).address.str(), "mayor/") << "the environment comes first";
  write(R"({"role":"polecat","rig":"beads","name":"nux"})");
  EXPECT_EQ(must(found()).address.str(), "beads/polecats/nux");
  write(R"({"role":"dog","name":"fido"})");
  EXPECT_EQ(must(found()).address.str(), "deacon/dogs/fido");
  write(R"({"role":"mayor"})");
  EXPECT_EQ(must(found()).address.str(), "mayor/");
  for (const auto* broken :
       {"", "{", "[]", "{}", R"({"role":7})", R"({"role":"crew"})", R"({"role":"crew","rig":"beads"})",
        R"({"role":"boss"})", R"({"role":"crew","rig":"..","name":"max"})"}) {
    write(broken);
    EXPECT_EQ(error_of(found()).code, Code::usage) << broken;
    EXPECT_NE(error_of(found()).message.find(".gt-agent"), std::string::npos) << error_of(found()).message;
  }
}

TEST_P(IdentityTest, AnOldNameIsTheRenamedAgent) {
  must(registry().alias("beads/crew/max", "beads/crew/moe"));
  EXPECT_EQ(address({{"GT_ROLE", "beads/crew/max"}}), "beads/crew/moe");
  EXPECT_EQ(address({}, "beads/crew/max"), "beads/crew/moe");
}

TEST_P(IdentityTest, EqualInputsHaveEqualKeysAndOthersDoNot) {
  const auto key = [](const Variables& variables, const std::optional<std::string>& flag = std::nullopt) {
    return IdentityInputs::collect(flag, FixedEnvironment(variables, "/")).key();
  };
  EXPECT_EQ(key({{"GT_ROLE", "mayor"}}), key({{"GT_ROLE", "mayor"}}));
  const std::set<std::string> keys = {key({}),
                                      key({{"GT_ROLE", "mayor"}}),
                                      key({{"MAIL_IDENTITY", "mayor"}}),
                                      key({{"BD_ACTOR", "mayor"}}),
                                      key({}, "mayor"),
                                      key({{"TMUX_PANE", "%1"}}),
                                      key({{"GT_ROLE", "crew"}, {"GT_RIG", "ab"}, {"GT_CREW", "c"}}),
                                      key({{"GT_ROLE", "crew"}, {"GT_RIG", "a"}, {"GT_CREW", "bc"}})};
  EXPECT_EQ(keys.size(), 8u);
}

TEST_P(IdentityTest, MailToSomebodyWhoOnlyLookedBeforeIsNotHiddenByItsHint) {
  const auto settings = town().folder / "town.toml";
  must(write_file_lightly(settings, ""));
  using FileTime = std::filesystem::file_time_type;
  std::filesystem::last_write_time(settings,
                                   FileTime::clock::now() - std::chrono::hours(24 * 365 * 20));  // long before the look
  Hint hint(town().folder, "witness", bell(), clock());
  const Agent mailbox = must(room().mailbox_of(caller("alpha/witness")));
  hint.nothing_found(hint.before_look(mailbox.id));
  ASSERT_TRUE(hint.nothing_waits_for().has_value());
  send("nux", "alpha/witness");
  EXPECT_FALSE(hint.nothing_waits_for().has_value());
}

}  // namespace
}  // namespace townpost
