// Without a town: one clear line and exit 3; hooks stay silent.
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

TEST(NoTown, IsToldByEveryCommandWithThePlaceAndTheWayOut) {
  const TestTown nowhere(TestTown::Start::empty_folder);
  const Refusal no_town{3, "no_town", "no town here (looked in " + nowhere.folder().string()};
  for (const auto& words : {Words{"whoami"},
                            {"why"},
                            {"mail", "send", "-m", "", "alice", "-s", "Hi"},
                            {"mail", "inbox"},
                            {"mail", "read", "hq-m-1a2b3c"},
                            {"mail", "ack", "hq-m-1a2b3c"},
                            {"mail", "mark-unread", "hq-m-1a2b3c"},
                            {"mail", "archive", "--stale"},
                            {"mail", "unarchive", "hq-m-1a2b3c"},
                            {"mail", "delete", "hq-m-1a2b3c"},
                            {"mail", "pin", "hq-m-1a2b3c"},
                            {"mail", "unpin", "hq-m-1a2b3c"},
                            {"mail", "reply", "hq-m-1a2b3c", "-m", "x"},
                            {"mail", "reply-all", "hq-m-1a2b3c", "-m", "x"},
                            {"mail", "sent"},
                            {"mail", "waiting"},
                            {"mail", "thread", "hq-m-1a2b3c"},
                            {"mail", "search", "x"},
                            {"mail", "check"},
                            {"mail", "peek"},
                            {"mail", "wait"},
                            {"mail", "directory"},
                            {"mail", "explain", "hq-m-1a2b3c"},
                            {"mail", "budget"},
                            {"mail", "recall", "--from", "x"},
                            {"rig", "add", "x", "."},
                            {"rig", "list"},
                            {"rig", "show", "x"},
                            {"rig", "remove", "x"},
                            {"agent", "add", "x"},
                            {"agent", "list"},
                            {"agent", "show", "x"},
                            {"agent", "remove", "x"},
                            {"agent", "alias", "x", "y"},
                            {"agent", "release", "x"},
                            {"store", "info"},
                            {"store", "check"},
                            {"store", "migrate"},
                            {"store", "purge"}}) {
    expect_refusal(nowhere, words, no_town);
    EXPECT_NE(nowhere.gt(words).err.find("run gt init"), std::string::npos);
    const auto agent = nowhere.gt(words, {{"CLAUDECODE", "1"}});
    EXPECT_EQ(agent.exit_code, 3);
    EXPECT_EQ(agent.err.find("gt init"), std::string::npos) << "an agent is not told to make one: " << agent.err;
  }
  EXPECT_TRUE(fs::is_empty(nowhere.folder())) << "something was left in a folder without a town";
}

TEST(NoTown, IsToldForATownThatIsNotThere) {
  const TestTown town;
  for (const auto& [words, variables] : {std::pair<Words, Variables>{{"mail", "inbox", "--town", "missing"}, {}},
                                         {{"mail", "inbox"}, {{"GT_TOWN", "missing"}}},
                                         {{"mail", "inbox"}, {{"GT_TOWN_ROOT", "missing"}}}})
    expect_refused_untouched(town, words, {3, "no_town", "missing"}, variables);
}

TEST(NoTown, LeavesHooksSilent) {
  const TestTown nowhere(TestTown::Start::empty_folder);
  for (const auto& more : {Words{}, {"--after-compaction"}, {"--as", "alice"}, {"--town", "missing"}}) {
    const auto hook = nowhere.gt(with({"mail", "check", "--inject"}, more));
    EXPECT_EQ(hook.exit_code, 0) << join(more, " ");
    EXPECT_EQ(hook.out + hook.err, "") << join(more, " ");
  }
  EXPECT_TRUE(fs::is_empty(nowhere.folder()));
}

TEST(BrokenSettings, AreToldWithTheirLine) {
  const TestTown town;
  for (const auto& [toml, line] : {std::pair<std::string, std::string>{"[town]\nname = \"x\"\nhuman = \n", "line 3"},
                                   {"[town\n", "line 1"},
                                   {"\n\n[limits]\nsender_per_hour = \"many\"\n", "line 4"},
                                   {"[limits]\npair_per_minute = -1\n", "line 2"},
                                   {"[town]\nhuman = \"boss\"\n", "line 2"},
                                   {"[town]\nescalation = \"not an address\"\n", "line 2"},
                                   {"[mail]\nwisp_age = \"long\"\n", "line 2"},
                                   {"[limits]\nenabled = \"yes\"\n", "line 2"},
                                   {"[a]\n[a]\n", "line 2"},
                                   {"name = \"\xff\"\n", "line 1"}}) {
    town.settings(toml);
    const auto before = town.dump();
    const auto told = town.gt({"mail", "send", "-m", "", "overseer", "-s", "Hi", "--json"});
    EXPECT_EQ(told.exit_code, 2) << toml;
    EXPECT_NE(told.err.find("town.toml, " + line), std::string::npos) << toml << told.err;
    EXPECT_EQ(lines_of(told.err).size(), 1u) << told.err;
    EXPECT_EQ(text_at(value_at(*parse_json(told.out), "error"), "code"), "usage");
    EXPECT_EQ(town.dump(), before);
  }
}

TEST(BrokenSettings, ThatAreMissingAreTold) {
  const TestTown town;
  fs::remove(town.folder() / ".town" / "town.toml");
  const auto told = town.gt({"mail", "inbox"});
  EXPECT_NE(told.exit_code, 0);
  EXPECT_EQ(lines_of(told.err).size(), 1u) << told.err;
  EXPECT_NE(told.err.find("town.toml"), std::string::npos) << told.err;
}

TEST(Settings, ThatAreUnknownDoNotStopAnything) {
  const TestTown town;
  town.settings("[town]\nname = \"x\"\n[future]\nflying_cars = true");
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 0);
}

TEST(Settings, MayBeAnEmptyFile) {
  const TestTown town;
  town.settings("");
  EXPECT_EQ(town.gt({"mail", "inbox", "--json"}).out, "[]\n");
}

}  // namespace
}  // namespace townpost
