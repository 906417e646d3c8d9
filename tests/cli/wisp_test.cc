// Transient mail, and mail that never vanishes.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Ids = std::vector<std::string>;

class Wisp : public testing::Test {
 protected:
  Wisp() { town.agents({"alice", "bob"}); }
  void pass_hours(int hours) const {
    const auto ms = std::to_string(hours * 3'600'000);
    town.sql("UPDATE message SET created_at = created_at - " + ms + "; UPDATE outbox SET ready_at = ready_at - " + ms);
    town.send("overseer", "bob", "any write carries out what is due");
  }
  TestTown town;
};

TEST_F(Wisp, IsDroppedWhenReadAndOld) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  const auto lasting = town.send("overseer", "alice", "lasting", {"--permanent"});
  town.json({"mail", "ack", wisp, lasting, "--as", "alice"});
  pass_hours(23);
  EXPECT_EQ(inbox_ids(town, "alice"), (Ids{lasting, wisp})) << "not old enough";
  pass_hours(2);
  EXPECT_EQ(inbox_ids(town, "alice"), Ids{lasting});
  expect_refused_untouched(town, {"mail", "read", wisp, "--as", "alice"}, {4, "not_found", wisp});
}

// G139
TEST_F(Wisp, ThatIsUnreadNeverVanishes) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  pass_hours(25);
  pass_hours(500);
  EXPECT_EQ(inbox_ids(town, "alice"), Ids{wisp});
  town.json({"mail", "ack", wisp, "--as", "alice"});
  pass_hours(25);
  EXPECT_TRUE(inbox_ids(town, "alice").empty());
}

TEST_F(Wisp, StaysUntilEveryRecipientHasReadIt) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--cc", "bob", "--wisp"});
  town.json({"mail", "ack", wisp, "--as", "alice"});
  pass_hours(25);
  EXPECT_EQ(inbox_ids(town, "alice"), Ids{wisp});
}

TEST_F(Wisp, ThatIsPinnedStays) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  town.json({"mail", "pin", wisp, "--as", "alice"});
  town.json({"mail", "ack", wisp, "--as", "alice"});
  pass_hours(25);
  EXPECT_EQ(inbox_ids(town, "alice"), Ids{wisp});
}

TEST_F(Wisp, HasTheAgeThatTheTownGivesIt) {
  town.settings("[mail]\nwisp_age = \"1h\"");
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  town.json({"mail", "ack", wisp, "--as", "alice"});
  pass_hours(2);
  EXPECT_TRUE(inbox_ids(town, "alice").empty());
}

TEST_F(Wisp, NeverLeavesItsNumberToAnother) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  const auto seq = number_at(read_as(town, "alice", wisp), "seq");
  town.json({"mail", "ack", wisp, "--as", "alice"});
  town.sql("UPDATE outbox SET ready_at = 1");
  town.json({"mail", "ack", "--all", "--as", "bob"});  // a write that stores no message
  const auto next = town.send("overseer", "alice", "next");
  EXPECT_GT(number_at(read_as(town, "alice", next), "seq"), seq) << "a reader's cursor would skip it";
}

TEST_F(Wisp, LeavesARecordBehind) {
  const auto wisp = town.send("overseer", "alice", "wisp", {"--wisp"});
  town.json({"mail", "ack", wisp, "--as", "alice"});
  pass_hours(25);
  EXPECT_EQ(town.sql("SELECT count(*) FROM event WHERE kind = 'dropped'"), "1");
}

}  // namespace
}  // namespace townpost
