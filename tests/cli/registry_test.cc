// gt rig and gt agent.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

TEST(Rig, IsAddedShownListedAndRemoved) {
  const TestTown town;
  std::filesystem::create_directories(town.folder() / "src/green");
  const auto added = town.json(
      {"rig", "add", "greenplace", "src/green", "--prefix", "gp", "--target", "trunk", "--test-command", "make test"});
  EXPECT_EQ(keys_of(added), (Texts{"name", "prefix", "path", "target", "test_command", "created_at", "connected"}));
  EXPECT_EQ(text_at(added, "name"), "greenplace");
  EXPECT_EQ(text_at(added, "prefix"), "gp");
  EXPECT_EQ(text_at(added, "path"), (town.folder() / "src/green").string());
  EXPECT_EQ(text_at(added, "target"), "trunk");
  EXPECT_EQ(text_at(added, "test_command"), "make test");
  EXPECT_TRUE(is_instant(text_at(added, "created_at")));
  auto shown = added.get_object();
  shown.erase("connected");
  EXPECT_EQ(town.json({"rig", "show", "greenplace"}), Json(shown));
  EXPECT_EQ(town.json({"rig", "list"}), Json(JsonArray{shown}));
  EXPECT_EQ(lines_of(town.gt({"rig", "list"}).out).size(), 2u) << "headings, and a line for each";
  EXPECT_NE(town.gt({"rig", "show", "greenplace"}).out.find("Prefix:       gp"), std::string::npos);
  EXPECT_EQ(text_at(town.json({"rig", "remove", "greenplace"}), "removed"), "greenplace");
  EXPECT_EQ(town.json({"rig", "list"}), Json(JsonArray{}));
}

TEST(Rig, IsAFolderOnThisMachine) {
  const TestTown town;
  std::ofstream(town.folder() / "file") << "no folder";
  for (const auto* url : {"https://example.org/you/repo.git", "git@example.org:you/repo.git", "ssh://host/repo"})
    expect_refused_untouched(town, {"rig", "add", "green", url}, {2, "usage", "URL"});
  for (const auto* path : {"nowhere", "/nonexistent/place", "file"})
    expect_refused_untouched(town, {"rig", "add", "green", path}, {4, "not_found", "no folder"});
}

/// A town and a repository beside each other, and a worktree elsewhere.
class ConnectedRig : public testing::Test {
 protected:
  ConnectedRig() {
    EXPECT_EQ(here.gt({"init", "town"}).exit_code, 0);
    const auto made = here.shell(
        "git init -q repo && cd repo && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && "
        "git worktree add -q ../elsewhere/tree && mkdir sub");
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  std::string town_used_in(const std::string& folder) const {
    const auto answer = here.gt_in(folder, {"store", "info", "--json"});
    const auto json = parse_json(trim(answer.out));
    return answer.exit_code == 0 && json ? text_at(*json, "place") : answer.err;
  }
  std::string town_db() const { return (here.folder() / "town/.town/town.db").string(); }
  Json add(const std::string& path) const {
    return here.json({"--town", "town", "rig", "add", "green", path, "--as", "overseer"});
  }

  TestTown here{TestTown::Start::empty_folder};
};

TEST_F(ConnectedRig, FindsTheTownFromEveryFolderAndWorktree) {
  EXPECT_NE(town_used_in("repo").find("no town here"), std::string::npos);
  EXPECT_EQ(text_at(add("repo/sub"), "connected"), (here.folder() / "repo").string());
  for (const auto* folder : {"repo", "repo/sub", "elsewhere/tree"})
    EXPECT_EQ(town_used_in(folder), town_db()) << folder;
  EXPECT_EQ(here.shell("cd repo && git status --porcelain --untracked-files=all").out, "") << "git sees it";
}

TEST_F(ConnectedRig, MayBeAddedByItsWorktree) {
  EXPECT_EQ(text_at(add("elsewhere/tree"), "connected"), (here.folder() / "repo").string());
  EXPECT_EQ(town_used_in("repo"), town_db());
}

TEST_F(ConnectedRig, MayBeABareRepository) {
  ASSERT_EQ(here.shell("git clone -q --bare repo bare.git && git -C bare.git worktree add -q ../of-bare").exit_code, 0);
  EXPECT_EQ(text_at(add("bare.git"), "connected"), (here.folder() / "bare.git").string());
  EXPECT_EQ(town_used_in("of-bare"), town_db());
}

TEST_F(ConnectedRig, HasItsWayTakenBackWhenItIsRemoved) {
  add("repo");
  ASSERT_EQ(here.gt({"--town", "town", "rig", "remove", "green", "--as", "overseer"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(here.folder() / "repo/.town"));
}

TEST_F(ConnectedRig, KeepsWhatAnotherPutThere) {
  add("repo");
  std::ofstream(here.folder() / "repo/.town/redirect") << "../another\n";
  ASSERT_EQ(here.gt({"--town", "town", "rig", "remove", "green", "--as", "overseer"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(here.folder() / "repo/.town/redirect"));
}

TEST_F(ConnectedRig, OfAnotherTownIsRefused) {
  add("repo");
  ASSERT_EQ(here.gt({"init", "second"}).exit_code, 0);
  const auto refused = here.gt({"--town", "second", "rig", "add", "green", "repo", "--as", "overseer"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_NE(refused.err.find("uses the town in"), std::string::npos) << refused.err;
  EXPECT_EQ(here.gt_in("repo", {"init"}).exit_code, 5) << "a connected repository gets no town of its own";
}

TEST_F(ConnectedRig, FindsAMovedTownOnceItIsAddedAgain) {
  add("repo");
  std::filesystem::rename(here.folder() / "town", here.folder() / "moved");
  ASSERT_EQ(here.gt({"trust", "moved", "--as", "overseer"}).exit_code, 0);
  EXPECT_NE(town_used_in("repo").find("run gt rig add once more"), std::string::npos) << town_used_in("repo");
  const auto again = here.json({"--town", "moved", "rig", "add", "green", "repo"});
  EXPECT_EQ(text_at(again, "connected"), (here.folder() / "repo").string());
  EXPECT_EQ(town_used_in("elsewhere/tree"), (here.folder() / "moved/.town/town.db").string());
  EXPECT_EQ(here.gt({"--town", "moved", "rig", "add", "green", "repo"}).exit_code, 5) << "there is nothing left to do";
}

TEST_F(ConnectedRig, FindsItsTownAgainWhenItsRedirectWasRemoved) {
  add("repo");
  std::filesystem::remove(here.folder() / "repo/.town/redirect");
  EXPECT_NE(town_used_in("repo").find("no town here"), std::string::npos) << "what is left is no town";
  EXPECT_EQ(here.gt({"trust", "repo", "--as", "overseer"}).exit_code, 3);
  EXPECT_EQ(text_at(add("repo"), "connected"), (here.folder() / "repo").string());
  EXPECT_EQ(town_used_in("repo"), town_db());
}

TEST_F(ConnectedRig, WhoseTownFolderIsSomethingElseIsLeftAloneAndToldAbout) {
  std::filesystem::create_directories(here.folder() / "repo/.town/precious");
  const auto added = here.gt({"--town", "town", "rig", "add", "green", "repo"});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_NE(added.err.find("do not find this town"), std::string::npos) << added.err;
  EXPECT_FALSE(std::filesystem::exists(here.folder() / "repo/.town/redirect"));
}

TEST_F(ConnectedRig, KeepsItsWayWhileAnotherRigOfTheRepositoryNeedsIt) {
  add("repo");
  const auto second = here.json({"--town", "town", "rig", "add", "blue", "repo/sub"});
  EXPECT_EQ(text_at(second, "connected"), (here.folder() / "repo").string());
  ASSERT_EQ(here.gt({"--town", "town", "rig", "remove", "green"}).exit_code, 0);
  EXPECT_EQ(town_used_in("repo"), town_db());
  ASSERT_EQ(here.gt({"--town", "town", "rig", "remove", "blue"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(here.folder() / "repo/.town"));
}

TEST_F(ConnectedRig, IsWarnedAboutIfItIsNoRepository) {
  std::filesystem::create_directories(here.folder() / "plain");
  const auto added = here.gt({"--town", "town", "rig", "add", "green", "plain", "--as", "overseer"});
  EXPECT_EQ(added.exit_code, 0) << added.err;
  EXPECT_NE(added.err.find("not a git repository"), std::string::npos) << added.err;
  EXPECT_FALSE(std::filesystem::exists(here.folder() / "plain/.town"));
  ASSERT_EQ(here.shell("git init -q plain").exit_code, 0);
  EXPECT_EQ(text_at(add("plain"), "connected"), (here.folder() / "plain").string()) << "once it is one";
}

TEST(Rig, GetsAPrefixOfItsOwnAndMainAsTarget) {
  const TestTown town;
  const auto beads = town.json({"rig", "add", "beads", "."});
  const auto bears = town.json({"rig", "add", "bears", "."});
  EXPECT_NE(text_at(beads, "prefix"), "");
  EXPECT_NE(text_at(beads, "prefix"), text_at(bears, "prefix"));
  EXPECT_EQ(text_at(beads, "target"), "main");
}

TEST(Rig, WithATakenOrImpossibleNameIsRefused) {
  const TestTown town;
  town.json({"rig", "add", "beads", ".", "--prefix", "bd"});
  expect_refused_untouched(town, {"rig", "add", "beads", "."}, {5, "refused", "beads"});
  EXPECT_NE(town.gt({"rig", "add", "beads", "."}).err.find("gt rig remove beads first"), std::string::npos);
  expect_refused_untouched(town, {"rig", "add", "other", ".", "--prefix", "bd"}, {5, "refused", "bd"});
  for (const auto* name : {"mayor", "deacon", "witness", "refinery", "crew", "polecats", "dogs", "overseer", "user",
                           "hq", "a b", "a/b", "..", "", "ünal"})
    expect_refused_untouched(town, {"rig", "add", name, "."}, {2, "usage", ""});
  for (const auto* prefix : {"hq", "B", "with-dash", "thirteenchars"})
    expect_refused_untouched(town, {"rig", "add", "other", ".", "--prefix", prefix}, {2, "usage", ""});
}

TEST(Rig, WithWorkersIsNotRemoved) {
  const TestTown town;
  town.rigs({"beads"});
  town.agents({"beads/crew/max"});
  expect_refused_untouched(town, {"rig", "remove", "beads"}, {5, "refused", "beads/crew/max"});
  town.json({"agent", "remove", "beads/crew/max"});
  town.json({"rig", "remove", "beads"});
}

TEST(Rig, ThatIsUnknownIsTold) {
  const TestTown town;
  town.rigs({"beads"});
  const auto told = town.gt({"rig", "show", "beds"});
  EXPECT_EQ(told.exit_code, 4);
  EXPECT_NE(told.err.find("did you mean beads?"), std::string::npos) << told.err;
}

TEST(Agent, IsAddedShownAndListed) {
  const TestTown town;
  town.rigs({"beads"});
  const auto added = town.json({"agent", "add", "beads/crew/max", "--session", "tmux:max", "--description",
                                "writes tests", "--start", "claude", "--resume", "claude -c", "--on", "mail"});
  for (const auto& [key, value] : {std::pair{"address", "beads/crew/max"},
                                   {"role", "crew"},
                                   {"rig", "beads"},
                                   {"name", "max"},
                                   {"session", "tmux:max"},
                                   {"description", "writes tests"},
                                   {"start", "claude"},
                                   {"resume", "claude -c"},
                                   {"on", "mail"}})
    EXPECT_EQ(text_at(added, key), value) << key;
  EXPECT_TRUE(is_instant(text_at(added, "created_at")));
  const auto shown = town.json({"agent", "show", "max"});
  EXPECT_EQ(text_at(shown, "address"), "beads/crew/max");
  EXPECT_EQ(value_at(shown, "aliases"), Json(JsonArray{}));
  EXPECT_EQ(texts_in(town.json({"agent", "list"}), "address"),
            (Texts{"beads/crew/max", "deacon/", "mayor/", "overseer"}));
  EXPECT_NE(town.gt({"agent", "list"}).out.find("beads/crew/max  crew    tmux:max  writes tests\n"), std::string::npos);
  EXPECT_NE(town.gt({"agent", "show", "max"}).out.find("tmux:max\n"), std::string::npos);
}

TEST(Agent, AddedAgainKeepsWhatIsNotSaid) {
  const TestTown town;
  town.json({"agent", "add", "alice", "--session", "tmux:a", "--description", "first"});
  const auto again = town.json({"agent", "add", "alice", "--description", "second"});
  EXPECT_EQ(text_at(again, "session"), "tmux:a");
  EXPECT_EQ(text_at(again, "description"), "second");
}

TEST(Agent, NeedsAKnownRigAndACanonicalAddress) {
  const TestTown town;
  town.rigs({"beads"});
  expect_refused_untouched(town, {"agent", "add", "nosuch/crew/max"}, {4, "not_found", "nosuch"});
  for (const auto* wrong : {"beads/max", "crew/max", "@crew", "*/witness", "beads/crew/*", "group:ops",
                            "beads/crew/mayor", "crew", "a b", ""})
    expect_refused_untouched(town, {"agent", "add", wrong}, {2, "usage", ""});
  expect_refused_untouched(town, {"agent", "add", "townpost"}, {5, "refused", "townpost"});
  expect_refused_untouched(town, {"agent", "add", "alice", "--on", "sunday"}, {2, "usage", "sunday"});
  for (const auto* wrong : {"bogus:x", "tmux:", "coder"})
    expect_refused_untouched(town, {"agent", "add", "alice", "--session", wrong}, {2, "usage", "is not a session"});
}

TEST(Agent, IsNotCalledAsIfItWereTheHumanOrTheTown) {
  const TestTown town;
  for (const auto* name : {"Overseer", "Townpost", "MAYOR", "User"}) {
    expect_refused_untouched(town, {"agent", "add", name}, {5, "refused", "taken for"});
    EXPECT_EQ(town.gt({"mail", "send", "-m", "", "mayor/", "-s", "x"}, {{"MAIL_IDENTITY", name}}).exit_code, 5) << name;
  }
}

TEST(Agent, IsDescribedInUtf8) {
  const TestTown town;
  for (const auto* option : {"--description", "--session", "--start", "--resume"})
    expect_refused_untouched(town, {"agent", "add", "alice", option, "\xff\xfe"}, {2, "usage", "UTF-8"});
  town.json({"agent", "add", "alice", "--description", "\x1b[31m red"});
  EXPECT_EQ(town.gt({"agent", "list"}).out.find('\x1b'), std::string::npos);
}

TEST(Agent, ThatIsRemovedIsUnknownUntilAddedAgainWithItsMail) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("bob", "alice", "Hi");
  EXPECT_EQ(text_at(town.json({"agent", "remove", "alice"}), "removed"), "alice");
  expect_refused_untouched(town, {"mail", "send", "-m", "", "alice", "-s", "Hi"}, {4, "not_found", "alice"});
  expect_refused_untouched(town, {"mail", "inbox", "--as", "alice"}, {4, "not_found", "alice"});
  EXPECT_EQ(text_at(read_as(town, "bob", id), "id"), id);
  town.agents({"alice"});
  EXPECT_EQ(inbox_ids(town, "alice"), Texts{id});
}

TEST(Agent, OfEveryTownCannotBeRemoved) {
  const TestTown town;
  for (const auto* address : {"mayor/", "deacon/", "overseer", "user"})
    expect_refused_untouched(town, {"agent", "remove", address}, {5, "refused", "cannot be removed"});
}

}  // namespace
}  // namespace townpost
