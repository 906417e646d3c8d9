// gt mail check, and the hint file that lets it answer without opening the store.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class Check : public testing::Test {
 protected:
  Check() { town.agents({"alice", "bob"}); }
  int check(const Words& more = {}) const { return town.gt(with({"mail", "check", "--as", "alice"}, more)).exit_code; }
  /// Has looked twice and found nothing: the second answer comes from the hint.
  void look_at_nothing() const {
    ASSERT_EQ(check(), 1);
    ASSERT_EQ(check(), 1);
  }
  TestTown town;
};

// G129; the specification wants exit 1 with --json, too.
TEST_F(Check, TellsByItsExitCodeWhetherMailWaits) {
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(check({"--json"}), 1);
  const auto silent = town.gt({"mail", "check", "--inject", "--as", "alice"});
  EXPECT_EQ(silent.exit_code, 0);
  EXPECT_EQ(silent.out + silent.err, "");
  town.send("bob", "alice", "Hi");
  EXPECT_EQ(check(), 0);
  EXPECT_EQ(number_at(town.json({"mail", "check", "--as", "alice"}), "unread"), 1);
  EXPECT_NE(town.gt({"mail", "check", "--as", "alice"}).out.find("1 unread"), std::string::npos);
}

TEST_F(Check, AnswersTheSameFromTheHintAsFromTheStore) {
  const auto first = town.gt({"mail", "check", "--as", "alice", "--json"});
  const auto second = town.gt({"mail", "check", "--as", "alice", "--json"});
  EXPECT_EQ(first.out, "{\"unread\":0,\"channels\":[]}\n");
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).out, "no mail waiting\n");
}

TEST_F(Check, DoesNotOpenTheStoreWhileTheHintHolds) {
  look_at_nothing();
  const auto hidden = town.folder() / ".town" / "hidden.db";
  fs::rename(town.store(), hidden);
  EXPECT_EQ(check(), 1) << "the store was opened";
  fs::rename(hidden, town.store());
}

TEST_F(Check, SeesMailThatComesRightAfterNothing) {
  for (int round = 0; round < 10; ++round) {
    look_at_nothing();
    const auto id = town.send("overseer", "alice", "Hi");
    EXPECT_EQ(check(), 0) << "round " << round;
    town.json({"mail", "ack", id, "--as", "alice"});
  }
}

TEST_F(Check, SeesCopiesRepliesAndPatterns) {
  look_at_nothing();
  town.send("bob", "overseer", "Hi", {"--cc", "alice"});
  EXPECT_EQ(check(), 0);
  town.json({"mail", "ack", "--all", "--as", "alice"});
  look_at_nothing();
  town.send("bob", "@town", "Everybody");
  EXPECT_EQ(check(), 0);
}

TEST_F(Check, SeesWhatIsMarkedUnreadOrBroughtBack) {
  const auto id = town.send("bob", "alice", "Hi");
  town.json({"mail", "ack", id, "--as", "alice"});
  look_at_nothing();
  town.json({"mail", "mark-unread", id, "--as", "alice"});
  EXPECT_EQ(check(), 0);
  town.json({"mail", "archive", id, "--as", "alice"});
  look_at_nothing();
  town.json({"mail", "unarchive", id, "--as", "alice"});
  EXPECT_EQ(check(), 0);
}

TEST_F(Check, SeesMailThatARenamingBrings) {
  look_at_nothing();
  town.send("overseer", "bob", "For bob");
  town.json({"agent", "alias", "bob", "alice"});
  EXPECT_EQ(check(), 0);
}

TEST_F(Check, TrustsOnlyTheHintOfItsOwnIdentity) {
  look_at_nothing();
  town.send("overseer", "bob", "For bob");
  EXPECT_EQ(town.gt({"mail", "check", "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(town.gt({"mail", "check"}, {{"MAIL_IDENTITY", "bob"}}).exit_code, 0);
  EXPECT_EQ(check(), 1);
}

TEST_F(Check, NeedsNoRunFolder) {
  look_at_nothing();
  fs::remove_all(town.folder() / ".town" / "run");
  EXPECT_EQ(check(), 1);
  town.send("bob", "alice", "Hi");
  EXPECT_EQ(check(), 0);
  fs::remove_all(town.folder() / ".town" / "run");
  EXPECT_EQ(check(), 0);
  fs::remove_all(town.folder() / ".town" / "run");
  EXPECT_EQ(town.gt({"mail", "inbox", "--as", "alice"}).exit_code, 0);
  EXPECT_EQ(text_at(read_as(town, "alice", "1"), "subject"), "Hi");
}

TEST_F(Check, SeesMailThatCameWhileTheRunFolderWasAway) {
  look_at_nothing();
  const auto run = town.folder() / ".town" / "run";
  const auto kept = town.folder() / "kept";
  fs::rename(run, kept);
  town.send("bob", "alice", "Hi");
  EXPECT_EQ(check(), 0);
}

TEST_F(Check, IgnoresAHintThatIsNonsense) {
  look_at_nothing();
  town.send("bob", "alice", "Hi");
  for (const auto* text : {"", "1", "1 2 3 4 5 6 7", "garbage", "1 x y z w", "2 5 0 0 9999999999999"}) {
    for (const auto& entry : fs::directory_iterator(town.folder() / ".town" / "run" / "hint"))
      ASSERT_TRUE(write_file_lightly(entry.path(), text).has_value());
    EXPECT_EQ(check(), 0) << text;
  }
}

}  // namespace
}  // namespace townpost
