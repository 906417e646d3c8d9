// gt init, and how a town is found.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/child.h"
#include "base/random.h"
#include "base/text.h"
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
  EXPECT_EQ(keys_of(made), (std::vector<std::string>{"town", "name", "joined", "existed"}));
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

TEST(Init, LeavesATownThatIsThereAsItIsAndSaysSo) {
  const TestTown town;
  town.agents({"alice"});
  const auto before = town.dump();
  const auto again = town.json({"init"});
  EXPECT_TRUE(flag_at(again, "existed"));
  EXPECT_EQ(text_at(again, "town"), (town.folder() / ".town").string());
  EXPECT_NE(town.gt({"init"}).out.find("there already"), std::string::npos);
  EXPECT_EQ(town.gt({"init", "--name", text_at(again, "name")}).exit_code, 0);
  EXPECT_EQ(town.dump(), before);
}

TEST(Init, RefusesWhatTheTownThatIsThereIsNot) {
  const TestTown town;
  expect_refused_untouched(town, {"init", "--name", "another"}, {5, "refused", "already"});
  expect_refused_untouched(town, {"init", "--store", "postgres://nowhere/town"}, {5, "refused", "already"});
}

TEST(Init, BelowATownIsRefusedUnlessItIsWanted) {
  const TestTown town;
  expect_refused_untouched(town, {"init", "deep/inside"}, {5, "refused", "already"});
  EXPECT_FALSE(fs::exists(town.folder() / "deep"));
  EXPECT_EQ(town.gt({"init", "deep/inside", "--nested"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(town.folder() / "deep/inside/.town/town.db"));
}

TEST(Init, BesideAStrangersTownIsNobodysBusiness) {
  const TestTown town(Start::empty_folder);
  fs::create_directories(town.folder() / ".town");  // nobody trusts it: it is never used
  EXPECT_EQ(town.gt({"init", "mine"}).exit_code, 0);
}

TEST(Init, BesideAFolderThatIsNoTownLeavesItAlone) {
  const TestTown town(Start::empty_folder);
  fs::create_directories(town.folder() / ".town" / "something");
  expect_refusal(town, {"init"}, {5, "refused", "no town in it"});
  EXPECT_TRUE(fs::exists(town.folder() / ".town" / "something"));
  expect_refusal(town, {"mail", "inbox"}, {3, "no_town", "no town here"});
}

TEST(Init, WhereTheStoreIsGoneSaysSo) {
  const TestTown town;
  for (const auto* part : {"town.db", "town.db-wal", "town.db-shm"}) fs::remove(town.folder() / ".town" / part);
  expect_refusal(town, {"init"}, {5, "refused", "town.db is gone"});
  EXPECT_FALSE(fs::exists(town.store())) << "an empty store would look like lost mail";
}

TEST(Settings, ThatAreGoneAreAskedFor) {
  const TestTown town;
  fs::remove(town.folder() / ".town" / "town.toml");
  expect_refusal(town, {"mail", "inbox"}, {6, "unavailable", "lost its settings"});
  std::ofstream(town.folder() / ".town" / "town.toml") << "";
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 0) << "an empty file means the defaults";
}

TEST(Settings, ThatAreBrokenDoNotKeepAPersonFromTrusting) {
  const TestTown town;
  town.settings("[town");
  EXPECT_EQ(town.gt({"trust", "--list", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(town.gt({"trust", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(town.gt({"trust", "--list", "--as", "overseer"}, {{"MAIL_IDENTITY", "coder"}}).exit_code, 5);
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

TEST(Init, NeverRemovesABackup) {
  const TestTown town;
  const auto id = town.send("mayor/", "overseer", "precious");
  const std::vector<std::string> names = {".town.2026-11-16",
                                          ".town.1",
                                          ".town.999999999",
                                          ".town.bak",
                                          ".town.draft-1",
                                          ".town.draft-1-0123456789abcdef",
                                          ".town.draft-x-0123456789abcdef",
                                          ".town.draft-99999999-0123456789abcdef",
                                          ".town-old",
                                          ".town.4000000000.zip"};
  for (const auto& name : names) fs::copy(town.folder() / ".town", town.folder() / name, fs::copy_options::recursive);
  fs::remove_all(town.folder() / ".town");
  EXPECT_EQ(town.gt({"init", "--name", "again"}).exit_code, 0);
  for (const auto& name : names) EXPECT_TRUE(fs::exists(town.folder() / name / "town.db")) << name;
  fs::remove_all(town.folder() / ".town");
  fs::rename(town.folder() / names[0], town.folder() / ".town");
  EXPECT_EQ(inbox_ids(town, "overseer"), std::vector<std::string>{id}) << "put back, it is what it was";
}

/// What an init leaves that was killed: a folder with its name, and a marker that says who made it where.
class Drafts : public testing::Test {
 protected:
  fs::path draft(const std::string& process, const std::string& host) const {
    const auto folder = town.folder() / cat(".town.draft-7-", random_hex(random_, 16));
    fs::create_directories(folder);
    std::ofstream(folder / "draft") << process << "\n" << host << "\n";
    return folder;
  }
  static std::string this_host() {
    std::error_code none;
    return cat(trim(*read_file("/proc/sys/kernel/random/boot_id", 64)), " ",
               fs::read_symlink("/proc/self/ns/pid", none).string());
  }
  TestTown town{Start::empty_folder};

 private:
  mutable SystemRandom random_;
};

TEST_F(Drafts, OfAnInitThatIsGoneAreRemoved) {
  const auto gone = draft(cat("999999999.1@", host_name()), this_host());
  ASSERT_EQ(town.gt({"init"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(gone));
}

TEST_F(Drafts, OfAnInitThatMayStillRunAreLeftAlone) {
  const auto running = draft(process_name(::getpid()), this_host());
  const auto elsewhere = draft(cat("999999999.1@", host_name()), "another-start-of-a-machine pid:[1]");
  const auto another_host = draft("999999999.1@another-host", this_host());
  const auto unreadable = draft("", "");
  ASSERT_EQ(town.gt({"init"}).exit_code, 0);
  for (const auto& folder : {running, elsewhere, another_host, unreadable}) EXPECT_TRUE(fs::exists(folder)) << folder;
}

TEST_F(Drafts, AreNeverFollowedElsewhere) {
  const auto gone = draft(cat("999999999.1@", host_name()), this_host());
  const auto real = town.folder() / "real";
  fs::rename(gone, real);
  fs::create_symlink(real, gone);
  ASSERT_EQ(town.gt({"init"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(real / "draft"));
  EXPECT_TRUE(fs::is_symlink(gone));
}

TEST(Trust, IsListedAndTakenBack) {
  const TestTown town;
  const auto place = (town.folder() / ".town").string();
  EXPECT_EQ(texts_in(town.json({"trust", "--list", "--as", "overseer"}), "town"), std::vector<std::string>{place});
  EXPECT_EQ(town.gt({"trust", "--list", "--as", "overseer"}).out, place + "\n");
  EXPECT_EQ(town.gt({"trust", "--remove", "--as", "overseer"}).exit_code, 0);
  EXPECT_EQ(town.gt({"trust", "--remove", "--as", "overseer"}).exit_code, 1) << "there was nothing to take back";
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 3);
  const auto again = town.json({"trust", ".", "--as", "overseer"});
  EXPECT_EQ(text_at(again, "town"), place);
  EXPECT_TRUE(flag_at(again, "trusted"));
  EXPECT_EQ(town.gt({"mail", "inbox"}).exit_code, 0);
}

TEST(Trust, OfNothingIsRefused) {
  const TestTown town(Start::empty_folder);
  expect_refusal(town, {"trust", "--as", "overseer"}, {3, "no_town", "there is no town in"});
  fs::create_directories(town.folder() / "a/.town");
  std::ofstream(town.folder() / "a/.town/redirect") << "../b\n";
  expect_refusal(town, {"trust", "a", "--as", "overseer"}, {2, "usage", "only leads to another town"});
}

TEST(Trust, WithoutAHomeThatCanBeWrittenIsTold) {
  const TestTown town(Start::empty_folder);
  std::ofstream(town.folder() / "file") << "no folder";
  const Variables no_home = {{"HOME", (town.folder() / "file").string()}};
  const auto made = town.gt({"init"}, no_home);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.err.find("cannot be noted as yours"), std::string::npos) << made.err;
  EXPECT_EQ(town.gt({"mail", "inbox"}, no_home).exit_code, 3);
  EXPECT_EQ(town.gt({"mail", "inbox", "--town", "."}, no_home).exit_code, 0);
  EXPECT_EQ(town.gt({"trust", "--as", "overseer"}, no_home).exit_code, 6);
}

/// Two towns, and a message in the second: whoever counts one message was there.
class TwoTowns : public testing::Test {
 protected:
  TwoTowns() {
    town.json({"init", "here"});
    town.json({"init", "there"});
    town.json({"mail", "send", "-m", "", "overseer", "-s", "Hi", "--town", "there", "--as", "mayor/"});
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
