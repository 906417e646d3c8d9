#include <algorithm>

#include "contract/lists_fixture.h"
#include "store/migrations.h"
#include "store/sql_admin.h"

namespace townpost {
namespace {

class AdminTest : public ListsTest {
 protected:
  SqlAdmin& admin() { return admin_; }
  /// What is wrong with the town, without what is meant to be wrong with the server of the tests.
  Strings problems() {
    auto out = must(admin_.check());
    std::erase_if(out, [](const std::string& problem) { return problem.find("setting fsync") != std::string::npos; });
    return out;
  }
  std::int64_t number(const std::string& sql) {
    std::int64_t out = -1;
    const auto database = connect();
    must(database->run(Sql::kept(sql), {}, [&](const Row& row) {
      out = row.integer(0);
      return Next::stop;
    }));
    return out;
  }
  std::int64_t rows(const std::string& table) { return number(cat("SELECT count(*) FROM ", table)); }

 private:
  SqlAdmin admin_{connect(), "somewhere"};
};
ON_EVERY_STORE(AdminTest);

TEST_P(AdminTest, TellsWhatTheStoreHolds) {
  send("nux", "max");
  send("nux", "slit");
  const StoreInfo info = must(admin().info());
  EXPECT_EQ(info.kind, GetParam().name);
  EXPECT_EQ(info.place, "somewhere");
  EXPECT_EQ(info.messages, 2);
  EXPECT_EQ(info.agents, static_cast<std::int64_t>(must(registry().agents()).size()));
  EXPECT_EQ(info.schema, migrations().back().version);
  EXPECT_EQ(info.schema, info.newest_schema);
}

TEST_P(AdminTest, FindsNothingWrongWithATownInUse) {
  simple_queue("builds");
  channel("news");
  subscribe("max", "news");
  put("builds");
  put("builds");
  const auto claimed = claim("nux", "builds");
  ASSERT_TRUE(claimed.has_value());
  publish("news");
  reply("max", send("nux", "max").message.id);
  EXPECT_EQ(problems(), Strings{});
}

TEST_P(AdminTest, FindsBrokenPromises) {
  const Message message = send("nux", "max").message;
  must(connect()->run("DELETE FROM message WHERE id = $1", {message.id.key}));
  EXPECT_EQ(problems(), Strings{"1 copies without a message"});
}

TEST_P(AdminTest, PurgesWhatEverybodyDeletedLongAgoAndNothingElse) {
  simple_queue("builds");
  channel("news");
  const Message old = send("nux", "max", "an old story").message;
  const Message kept = send("nux", "max", "a kept story").message;
  const MessageId work = put("builds");
  const Message post = publish("news");
  Letter both = letter("max");
  both.cc = {"slit"};
  const Message half = send("nux", both).message;
  writing(store(), [](Ledger& ledger) { EXPECT_EQ(must(ledger.index_for_search(100)), 0); });
  for (const auto id : {old.id, half.id}) mark(id, Mark::deleted, "max");
  clock().advance(std::chrono::hours(24));
  const auto now = clock().now();
  EXPECT_EQ(must(admin().purge(now - std::chrono::hours(25))).messages, 0);
  EXPECT_EQ(must(admin().purge(now)).messages, 1);
  const auto there = [&](MessageId id) {
    return reading(store(), [&](Ledger& ledger) { return must(ledger.message(id)); }).has_value();
  };
  EXPECT_FALSE(there(old.id));
  for (const auto id : {kept.id, work, post.id, half.id}) EXPECT_TRUE(there(id)) << id.str();
  EXPECT_EQ(problems(), Strings{});
  const auto found = must(room().search({.text = "story"}, caller("max")));
  EXPECT_EQ(found.total, 1);
  if (GetParam().name == "postgres") {
    EXPECT_EQ(rows("message_trigram"), rows("message"));
  }
}

TEST_P(AdminTest, ANumberOfTheLogIsNeverGivenTwiceAlsoAfterAPurge) {
  const Message gone = send("nux", "max").message;
  send("nux", "max");
  mark(gone.id, Mark::deleted, "max");  // the newest event is of a message that will be purged
  const auto newest = number("SELECT MAX(seq) FROM event");
  clock().advance(std::chrono::hours(24));
  EXPECT_EQ(must(admin().purge(clock().now())).messages, 1);
  EXPECT_LT(number("SELECT MAX(seq) FROM event"), newest);
  send("nux", "slit");
  EXPECT_EQ(number(cat("SELECT count(*) FROM event WHERE seq <= ", newest,
                       " AND message = ", "(SELECT MAX(id) FROM message)")),
            0)
      << "a reader that has seen the old number would miss the new event";
}

TEST_P(AdminTest, ForgetsWhatNobodyAsksForAnyMore) {
  const auto start = clock().now();
  writing(store(), [&](Ledger& ledger) {
    must(ledger.put_key(AgentId{1}, "a key", {.at = start}));
    must(ledger.add_wake({.agent = {1}, .at = start}));
    must(ledger.add_nudge({.id = {1}, .target = {1}, .ended_at = start}));
    must(ledger.add_event({.at = start, .kind = EventKind::delivered, .nudge = NudgeId{1}}));
    must(ledger.add_nudge({.id = {2}, .target = {1}}));
  });
  EXPECT_EQ(must(admin().forget(start + std::chrono::hours(24))), 0);
  EXPECT_EQ(must(admin().forget(start + std::chrono::hours(25))), 2) << "key and wake";
  EXPECT_EQ(must(admin().forget(start + std::chrono::hours(8 * 24))), 1) << "the ended nudge";
  EXPECT_EQ(rows("nudge"), 1);
  EXPECT_EQ(rows("idempotency_key") + rows("wake"), 0);
  EXPECT_EQ(rows("event"), 1) << "the log keeps it for those who follow";
}

TEST_P(AdminTest, ANewKeyMakesRoomForItself) {
  const auto start = clock().now();
  const auto put = [&](std::int64_t sender, const std::string& key, Instant at) {
    writing(store(), [&](Ledger& ledger) { must(ledger.put_key(AgentId{sender}, key, {.at = at})); });
  };
  for (const auto* key : {"a", "b", "c"}) put(1, key, start);
  put(2, "another's", start);
  put(1, "d", start + std::chrono::hours(25));
  EXPECT_EQ(rows("idempotency_key"), 2);
}

}  // namespace
}  // namespace townpost
