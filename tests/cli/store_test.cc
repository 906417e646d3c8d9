// gt store: what the store is, whether it is sound, bringing it up to date, giving space back.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class Store : public testing::Test {
 protected:
  Store() { town.agents({"alice", "bob"}); }
  TestTown town;
};

TEST_F(Store, TellsWhatItIsAndHowMuchItHolds) {
  town.send("overseer", "alice", "one");
  town.send("overseer", "alice", "two");
  const auto info = town.json({"store", "info"});
  EXPECT_EQ(keys_of(info), (Texts{"kind", "place", "schema", "newest_schema", "messages", "agents", "bytes"}));
  EXPECT_EQ(text_at(info, "kind"), "sqlite");
  EXPECT_EQ(text_at(info, "place"), town.store().string());
  EXPECT_EQ(number_at(info, "schema"), number_at(info, "newest_schema"));
  EXPECT_EQ(number_at(info, "messages"), 2);
  EXPECT_GT(number_at(info, "bytes"), 0);
  EXPECT_NE(town.gt({"store", "info"}).out.find("messages: 2\n"), std::string::npos);
}

TEST_F(Store, IsSoundAfterAnyMail) {
  const auto id = town.send("overseer", "alice", "one", {"--cc", "bob", "--wisp"});
  town.json({"mail", "reply-all", id, "-m", "two", "--as", "alice"});
  town.json({"mail", "delete", id, "--as", "bob"});
  town.json({"agent", "alias", "bob", "alice"});
  const auto told = town.json({"store", "check"});
  EXPECT_TRUE(flag_at(told, "sound"));
  EXPECT_EQ(value_at(told, "problems"), Json(JsonArray{}));
}

TEST_F(Store, ThatBreaksAPromiseIsNotSound) {
  town.send("overseer", "alice", "one");
  town.sql("DELETE FROM delivery");
  const auto told = town.gt({"store", "check", "--json"});
  EXPECT_EQ(told.exit_code, 1);
  const auto answer = parse_json(told.out);
  ASSERT_TRUE(answer.has_value()) << told.out;
  EXPECT_FALSE(flag_at(*answer, "sound"));
  EXPECT_EQ(texts_in(value_at(*answer, "problems")).size(), 1u) << told.out;
  EXPECT_EQ(town.gt({"store", "check"}).exit_code, 1);
}

TEST_F(Store, ThatIsUpToDateIsMigratedToTheSame) {
  const auto before = town.dump();
  const auto told = town.json({"store", "migrate"});
  EXPECT_EQ(number_at(told, "from"), number_at(told, "to"));
  EXPECT_EQ(town.dump(), before);
}

TEST_F(Store, OfANewerVersionIsNotMigratedBack) {
  town.sql("PRAGMA user_version = 999");
  expect_refused_untouched(town, {"store", "migrate"}, {6, "unavailable", "newer"});
  EXPECT_EQ(town.sql("PRAGMA user_version"), "999");
}

TEST_F(Store, IsPurgedOfWhatEverybodyDeletedLongAgo) {
  const auto gone = town.send("overseer", "alice", "gone for all", {"--cc", "bob"});
  const auto half = town.send("overseer", "alice", "gone for one", {"--cc", "bob"});
  const auto kept = town.send("overseer", "alice", "kept");
  town.json({"mail", "delete", gone, half, "--as", "alice"});
  town.json({"mail", "delete", gone, "--as", "bob"});
  EXPECT_EQ(number_at(town.json({"store", "purge"}), "purged"), 0) << "deleted only just now";
  town.sql("UPDATE delivery SET deleted_at = deleted_at - 91 * 24 * 3600000 WHERE deleted_at IS NOT NULL");
  EXPECT_EQ(number_at(town.json({"store", "purge", "--older", "92d"}), "purged"), 0);
  EXPECT_EQ(number_at(town.json({"store", "purge"}), "purged"), 1);
  EXPECT_EQ(town.gt({"mail", "read", gone}).exit_code, 4);
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{half});
  EXPECT_EQ(inbox_ids(town, "alice"), Texts{kept});
  EXPECT_TRUE(flag_at(town.json({"store", "check"}), "sound"));
}

TEST_F(Store, IsPurgedByPeopleOnly) {
  expect_refused_untouched(town, {"store", "purge", "--as", "alice"}, {5, "forbidden", "person"});
}

}  // namespace
}  // namespace townpost
