// Who is calling: the first source that says so wins.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

class Identity : public testing::Test {
 protected:
  Identity() {
    town.rigs({"beads"});
    town.agents({"alice", "bob", "carol"});
  }
  std::string who(const Variables& variables, const Words& more = {}) const {
    const auto told = town.json(with({"whoami"}, more), variables);
    return text_at(told, "address") + " " + text_at(told, "grade");
  }
  void agent_file(const std::string& folder, const std::string& text) const {
    std::filesystem::create_directories(town.folder() / folder);
    std::ofstream(town.folder() / folder / ".gt-agent") << text;
  }
  TestTown town;
};

TEST_F(Identity, IsTheHumanIfNothingSaysOtherwise) {
  EXPECT_EQ(who({}), "overseer script");
  EXPECT_EQ(town.gt({"whoami"}).out, "overseer (script)\n");
  EXPECT_EQ(text_at(town.json({"whoami"}), "role"), "human");
}

TEST_F(Identity, ComesFromTheFirstSourceThatNamesIt) {
  agent_file(".", R"({"role":"crew","rig":"beads","name":"max"})");
  Variables variables;
  EXPECT_EQ(who(variables), "beads/crew/max env");
  variables["BD_ACTOR"] = "carol";
  EXPECT_EQ(who(variables), "carol env");
  variables["MAIL_IDENTITY"] = "bob";
  EXPECT_EQ(who(variables), "bob env");
  variables["GT_ROLE"] = "mayor";
  EXPECT_EQ(who(variables), "mayor/ env");
  variables["GT_ROLE"] = "beads/refinery";
  EXPECT_EQ(who(variables), "beads/refinery env");
  EXPECT_EQ(who(variables, {"--as", "alice"}), "alice flag");
}

TEST_F(Identity, IsNotTakenFromAnEmptyVariable) {
  EXPECT_EQ(who({{"GT_ROLE", ""}, {"MAIL_IDENTITY", ""}, {"BD_ACTOR", "carol"}}), "carol env");
}

TEST_F(Identity, OfARoleIsSpelledByItsCompanions) {
  EXPECT_EQ(who({{"GT_ROLE", "mayor"}}), "mayor/ env");
  EXPECT_EQ(who({{"GT_ROLE", "deacon"}}), "deacon/ env");
  EXPECT_EQ(who({{"GT_ROLE", "witness"}, {"GT_RIG", "beads"}}), "beads/witness env");
  EXPECT_EQ(who({{"GT_ROLE", "refinery"}, {"GT_RIG", "beads"}}), "beads/refinery env");
  EXPECT_EQ(who({{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}, {"GT_POLECAT", "nux"}}), "beads/polecats/nux env");
  EXPECT_EQ(who({{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}), "beads/crew/max env");
  EXPECT_EQ(who({{"GT_ROLE", "dog"}, {"GT_DOG_NAME", "fido"}}), "deacon/dogs/fido env");
  // Companions of another role do not disturb.
  EXPECT_EQ(who({{"GT_ROLE", "mayor"}, {"GT_RIG", "beads"}, {"GT_CREW", "max"}}), "mayor/ env");
}

TEST_F(Identity, ThatIsIncompleteNamesWhatIsMissing) {
  const std::vector<std::pair<Variables, std::string>> cases = {
      {{{"GT_ROLE", "witness"}}, "GT_RIG"},
      {{{"GT_ROLE", "refinery"}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_POLECAT", "nux"}}, "GT_RIG"},
      {{{"GT_ROLE", "polecat"}, {"GT_RIG", "beads"}}, "GT_POLECAT"},
      {{{"GT_ROLE", "crew"}, {"GT_RIG", "beads"}, {"GT_POLECAT", "nux"}}, "GT_CREW"},
      {{{"GT_ROLE", "dog"}}, "GT_DOG_NAME"},
      {{{"GT_ROLE", "janitor"}, {"MAIL_IDENTITY", "bob"}}, "janitor"},
      {{{"GT_ROLE", "beads/crew/a b"}}, "GT_ROLE"},
      {{{"MAIL_IDENTITY", "not an address"}}, "MAIL_IDENTITY"},
  };
  for (const auto& [variables, missing] : cases) {
    expect_refused_untouched(town, {"whoami"}, {2, "usage", missing}, variables);
    expect_refused_untouched(town, {"mail", "send", "-m", "", "alice", "-s", "Hi"}, {2, "usage", missing}, variables);
  }
}

TEST_F(Identity, FromTheEnvironmentIsRegisteredByItsFirstWrite) {
  const Variables max = {{"GT_ROLE", "beads/crew/max"}};
  town.json({"mail", "inbox"}, max);
  EXPECT_EQ(town.gt({"agent", "show", "beads/crew/max"}).exit_code, 4) << "looking registered it";
  const auto id = text_at(town.json({"mail", "send", "-m", "", "alice", "-s", "Hi"}, max), "id");
  EXPECT_EQ(text_at(town.json({"agent", "show", "beads/crew/max"}), "address"), "beads/crew/max");
  const auto mail = read_as(town, "alice", id);
  EXPECT_EQ(text_at(mail, "from"), "beads/crew/max");
  EXPECT_EQ(text_at(mail, "from_grade"), "env");
}

TEST_F(Identity, OfAFlagIsStoredAsSuch) {
  EXPECT_EQ(text_at(read_as(town, "alice", town.send("bob", "alice", "Hi")), "from_grade"), "flag");
}

TEST_F(Identity, MayBeGivenInShort) {
  town.agents({"beads/crew/max"});
  EXPECT_EQ(who({}, {"--as", "max"}), "beads/crew/max flag");
  EXPECT_EQ(who({}, {"--as", "beads/max"}), "beads/crew/max flag");
  EXPECT_EQ(who({{"GT_ROLE", "beads/max"}}), "beads/crew/max env");
  EXPECT_EQ(who({}, {"--as", "user"}), "overseer flag");
}

TEST_F(Identity, ComesFromTheNearestAgentFile) {
  agent_file("work", R"({"role":"crew","rig":"beads","name":"max"})");
  agent_file("work/dog", R"({"role":"dog","name":"fido"})");
  EXPECT_EQ(town.gt_in("work/deep/down", {"whoami"}).out, "beads/crew/max (env)\n");
  EXPECT_EQ(town.gt_in("work/dog/house", {"whoami"}).out, "deacon/dogs/fido (env)\n");
  EXPECT_EQ(town.gt({"whoami"}).out, "overseer (script)\n");
}

TEST_F(Identity, OfABrokenAgentFileIsAnError) {
  for (const auto* text : {"not json", "[]", "{}", R"({"role":"crew","rig":"beads"})",
                           R"({"role":"crew","name":"max"})", R"({"role":"boss"})"}) {
    agent_file(".", text);
    expect_refused_untouched(town, {"whoami"}, {2, "usage", ".gt-agent"});
  }
}

TEST_F(Identity, MayNotBeTheTownsOwnVoice) {
  EXPECT_NE(town.gt({"mail", "send", "-m", "", "alice", "-s", "Hi", "--as", "townpost"}).exit_code, 0)
      << "notices of the town could be forged";
  EXPECT_NE(town.gt({"mail", "send", "-m", "", "alice", "-s", "Hi"}, {{"MAIL_IDENTITY", "townpost"}}).exit_code, 0);
}

}  // namespace
}  // namespace townpost
