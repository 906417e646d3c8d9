// gt init, and how a town is found.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Start = TestTown::Start;

TEST(Init, MakesATownWithSettingsAndAStore) {
  const TestTown town(Start::empty_folder);
  const auto made = town.gt({"init"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("Next:"), std::string::npos) << "no word about what comes next: " << made.out;
  EXPECT_TRUE(fs::exists(town.folder() / ".town" / "town.toml"));
  EXPECT_TRUE(fs::exists(town.store()));
  EXPECT_EQ(town.sql("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(town.gt({"mail", "inbox", "--json"}).out, "[]\n");
}

TEST(Init, AnswersWithThePlaceAndTheName) {
  const TestTown town(Start::empty_folder);
  const auto made = town.json({"init", "deep/er", "--name", "spring \"field\" ä"});
  EXPECT_EQ(keys_of(made), (std::vector<std::string>{"town", "name", "joined"}));
  EXPECT_FALSE(flag_at(made, "joined")) << "a town in its folder alone is always a new one";
  EXPECT_EQ(text_at(made, "town"), (town.folder() / "deep/er/.town").string());
  EXPECT_EQ(text_at(made, "name"), "spring \"field\" ä");
  EXPECT_EQ(town.gt_in("deep/er", {"mail", "inbox"}).exit_code, 0) << "its town.toml cannot be read";
  EXPECT_EQ(text_at(town.json({"init", "village"}), "name"), "village");
}

TEST(Init, NeverMakesATownThatCannotBeRead) {
  const TestTown town(Start::empty_folder);
  int number = 0;
  for (const auto* name :
       {"tab\there", "esc\x1b[31m", "bell\x07", "del\x7f", "quote\"", "back\\slash", "\\u0000", "# no comment"}) {
    const auto folder = "town" + std::to_string(++number);
    if (town.gt({"init", folder, "--name", name}).exit_code != 0) continue;  // refused is as good
    const auto listed = town.gt({"mail", "inbox", "--town", folder});
    EXPECT_EQ(listed.exit_code, 0) << folder << ": " << listed.err;
  }
}

TEST(Init, DoesNotTouchATownThatIsThere) {
  const TestTown town;
  town.agents({"alice"});
  expect_refused_untouched(town, {"init"}, {5, "refused", "already"});
}

TEST(Init, WithAnImpossibleNameMakesNothing) {
  const TestTown town(Start::empty_folder);
  expect_refusal(town, {"init", "--name", "two\nlines"}, {2, "usage", "name"});
  expect_refusal(town, {"init", "--name", ""}, {2, "usage", "name"});
  EXPECT_TRUE(fs::is_empty(town.folder()));
}

TEST(Init, ThatFailsLeavesNothingBehind) {
  const TestTown town(Start::empty_folder);
  std::ofstream(town.folder() / "file") << "not a folder";
  const auto failed = town.gt({"init", "file"});
  EXPECT_NE(failed.exit_code, 0);
  EXPECT_EQ(lines_of(failed.err).size(), 1u) << failed.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(town.folder()), fs::directory_iterator()), 1);
}

/// Two towns, and a message in the second: whoever counts one message was there.
class TwoTowns : public testing::Test {
 protected:
  TwoTowns() {
    town.json({"init", "here"});
    town.json({"init", "there"});
    town.json({"mail", "send", "overseer", "-s", "Hi", "--town", "there", "--as", "mayor/"});
  }
  int mails(const fs::path& where, const Words& more = {}, const Variables& variables = {}) const {
    const auto listed = town.gt_in(where, with({"mail", "inbox", "-q"}, more), variables);
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    return static_cast<int>(lines_of(listed.out).size());
  }
  void redirect(const std::string& from, const std::string& to) const {
    fs::create_directories(town.folder() / from / ".town");
    std::ofstream(town.folder() / from / ".town" / "redirect") << to << "\n";
  }
  TestTown town{Start::empty_folder};
};

TEST_F(TwoTowns, AreFoundFromAnyFolderInsideThem) {
  EXPECT_EQ(mails("here/src/deep"), 0);
  EXPECT_EQ(mails("there/src/deep"), 1);
}

TEST_F(TwoTowns, AreChosenByFlagThenVariableThenFolder) {
  const auto there = (town.folder() / "there").string();
  const auto here = (town.folder() / "here").string();
  EXPECT_EQ(mails("here", {"--town", there}), 1);
  EXPECT_EQ(mails("here", {"--town", "../there"}), 1);
  EXPECT_EQ(mails("here", {"--town", there + "/.town"}), 1);
  EXPECT_EQ(mails("here", {}, {{"GT_TOWN", there}}), 1);
  EXPECT_EQ(mails("here", {}, {{"GT_TOWN_ROOT", there}}), 1);
  EXPECT_EQ(mails("there", {"--town", here}, {{"GT_TOWN", there}}), 0);
  EXPECT_EQ(mails(".", {}, {{"GT_TOWN", there}, {"GT_TOWN_ROOT", here}}), 1);
}

TEST_F(TwoTowns, AreReachedThroughARedirect) {
  redirect("absolute", (town.folder() / "there").string());
  redirect("relative", "../there");
  redirect("chained", "../relative");
  for (const auto* from : {"absolute", "relative", "chained"}) {
    EXPECT_EQ(mails(from), 1) << from;
    EXPECT_EQ(mails(".", {"--town", from}), 1) << from;
  }
}

TEST_F(TwoTowns, AreNotReachedThroughARedirectThatLeadsNowhereOrInACircle) {
  redirect("nowhere", "../no-such-town");
  redirect("itself", ".");
  redirect("left", "../right");
  redirect("right", "../left");
  redirect("empty", "");
  expect_refusal(town, {"mail", "inbox", "--town", "nowhere"}, {3, "no_town", "no-such-town"});
  expect_refusal(town, {"mail", "inbox", "--town", "itself"}, {3, "no_town", "circle"});
  expect_refusal(town, {"mail", "inbox", "--town", "left"}, {3, "no_town", "circle"});
  expect_refusal(town, {"mail", "inbox", "--town", "empty"}, {3, "no_town", ""});
}

}  // namespace
}  // namespace townpost
