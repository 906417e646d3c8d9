// gt rig and gt agent.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

TEST(Rig, IsAddedShownListedAndRemoved) {
  const TestTown town;
  const auto added = town.json(
      {"rig", "add", "greenplace", "src/green", "--prefix", "gp", "--target", "trunk", "--test-command", "make test"});
  EXPECT_EQ(keys_of(added), (Texts{"name", "prefix", "path", "target", "test_command", "created_at"}));
  EXPECT_EQ(text_at(added, "name"), "greenplace");
  EXPECT_EQ(text_at(added, "prefix"), "gp");
  EXPECT_EQ(text_at(added, "path"), (town.folder() / "src/green").string());
  EXPECT_EQ(text_at(added, "target"), "trunk");
  EXPECT_EQ(text_at(added, "test_command"), "make test");
  EXPECT_TRUE(is_instant(text_at(added, "created_at")));
  EXPECT_EQ(town.json({"rig", "show", "greenplace"}), added);
  EXPECT_EQ(town.json({"rig", "list"}), Json(JsonArray{added}));
  EXPECT_EQ(lines_of(town.gt({"rig", "list"}).out).size(), 1u);
  EXPECT_NE(town.gt({"rig", "show", "greenplace"}).out.find("prefix: gp"), std::string::npos);
  EXPECT_EQ(text_at(town.json({"rig", "remove", "greenplace"}), "removed"), "greenplace");
  EXPECT_EQ(town.json({"rig", "list"}), Json(JsonArray{}));
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
  EXPECT_NE(town.gt({"agent", "list"}).out.find("beads/crew/max  tmux:max  writes tests\n"), std::string::npos);
  EXPECT_NE(town.gt({"agent", "show", "max"}).out.find("session: tmux:max\n"), std::string::npos);
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
    expect_refused_untouched(town, {"agent", "add", "alice", "--session", wrong}, {2, "usage", "is no session"});
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
  expect_refused_untouched(town, {"mail", "send", "alice", "-s", "Hi"}, {4, "not_found", "alice"});
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
