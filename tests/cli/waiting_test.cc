// Replies owed: --reply-by, gt mail waiting, the reminder and the escalation.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class RepliesOwed : public testing::Test {
 protected:
  RepliesOwed() {
    town.agents({"alice", "bob", "carol"});
    id = town.send("alice", "bob", "Review?", {"--reply-by", "30m", "--cc", "carol"});
  }
  Json waiting(const std::string& who) const { return town.json({"mail", "waiting", "--as", who}); }
  /// As if so many minutes had passed; a write carries out what is due.
  void pass_minutes(int minutes) const {
    const auto ms = std::to_string(minutes * 60'000);
    town.sql("UPDATE message SET created_at = created_at - " + ms + ", reply_by = reply_by - " + ms +
             "; UPDATE outbox SET ready_at = ready_at - " + ms);
    town.send("overseer", "carol", "any write");
  }
  TestTown town;
  std::string id;
};

TEST_F(RepliesOwed, AreToldToBothSides) {
  const auto mine = waiting("alice");
  EXPECT_EQ(keys_of(mine), (Texts{"owed_to_me", "owed_by_me"}));
  const auto owed = value_at(mine, "owed_to_me").at(0);
  EXPECT_EQ(text_at(owed, "id"), id);
  EXPECT_EQ(texts_in(value_at(owed, "owed_by")), Texts{"bob"});
  EXPECT_FALSE(flag_at(owed, "overdue"));
  EXPECT_TRUE(is_instant(text_at(owed, "reply_by")));
  EXPECT_EQ(texts_in(value_at(waiting("bob"), "owed_by_me"), "id"), Texts{id});
  EXPECT_EQ(value_at(waiting("carol"), "owed_by_me"), Json(JsonArray{})) << "a copy owes no answer";
  const auto text = town.gt({"mail", "waiting", "--as", "bob"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find(id), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("  alice  Review?"), std::string::npos) << "whom bob keeps waiting: " << text.out;
  EXPECT_EQ(text.out.find("bob"), std::string::npos) << text.out;
  EXPECT_EQ(texts_in(value_at(waiting("bob"), "owed_by_me"), "owed_to"), Texts{"alice"});
  const auto asker = town.gt({"mail", "waiting", "--as", "alice"}).out;
  EXPECT_NE(asker.find("  bob   Review?"), std::string::npos) << asker;
}

TEST_F(RepliesOwed, EndWithTheReply) {
  town.json({"mail", "reply", id, "-m", "done", "--as", "bob"});
  EXPECT_EQ(value_at(waiting("alice"), "owed_to_me"), Json(JsonArray{}));
  EXPECT_EQ(value_at(waiting("bob"), "owed_by_me"), Json(JsonArray{}));
  pass_minutes(40);
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u) << "reminded of what was answered";
  EXPECT_TRUE(inbox_ids(town, "mayor/").empty());
}

TEST_F(RepliesOwed, AreNotRemindedOfBeforeHalfTime) {
  pass_minutes(14);
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{id});
}

TEST_F(RepliesOwed, AreRemindedOfOnceAtHalfTime) {
  pass_minutes(16);
  pass_minutes(1);
  const auto notices = town.json({"mail", "inbox", "--from", "townpost", "--as", "bob"});
  ASSERT_EQ(notices.as_array().size(), 1u);
  EXPECT_NE(text_at(notices.at(0), "subject").find("Review?"), std::string::npos);
  EXPECT_NE(text_at(notices.at(0), "body").find("gt mail reply " + id), std::string::npos);
  EXPECT_TRUE(inbox_ids(town, "carol", {"--from", "townpost"}).empty());
  EXPECT_TRUE(inbox_ids(town, "mayor/").empty());
}

TEST_F(RepliesOwed, AreEscalatedOnceWhenOverdue) {
  pass_minutes(16);
  pass_minutes(15);
  pass_minutes(5);
  const auto escalations = town.json({"mail", "inbox", "--as", "mayor/"});
  ASSERT_EQ(escalations.as_array().size(), 1u);
  EXPECT_EQ(text_at(escalations.at(0), "type"), "escalation");
  EXPECT_NE(text_at(escalations.at(0), "subject").find("bob"), std::string::npos);
  EXPECT_TRUE(flag_at(value_at(waiting("alice"), "owed_to_me").at(0), "overdue"));
  EXPECT_TRUE(flag_at(value_at(waiting("bob"), "owed_by_me").at(0), "overdue"));
  EXPECT_NE(town.gt({"mail", "waiting", "--as", "alice"}).out.find("OVERDUE"), std::string::npos);
}

TEST_F(RepliesOwed, OfSeveralRecipientsAreCountedOneByOne) {
  const auto both = town.send("alice", "bob", "Both?", {"carol", "--reply-by", "1h"});
  town.json({"mail", "reply", both, "-m", "yes", "--as", "carol"});
  for (const auto& owed : items_of(value_at(waiting("alice"), "owed_to_me")))
    EXPECT_EQ(texts_in(value_at(owed, "owed_by")), Texts{"bob"});
}

TEST_F(RepliesOwed, AreNobodysWithoutAsking) {
  const TestTown other;
  other.agents({"alice"});
  other.send("overseer", "alice", "No hurry");
  EXPECT_EQ(other.gt({"mail", "waiting", "--json"}).out, "{\"owed_to_me\":[],\"owed_by_me\":[]}\n");
}

}  // namespace
}  // namespace townpost
