// A store that holds what no program of ours ever wrote: found by the check, and an error for whoever reads it.
#include "contract/lists_fixture.h"
#include "store/soundness.h"
#include "store/sql_ledger.h"

namespace townpost {
namespace {

class DamagedStore : public ListsTest {
 protected:
  DamagedStore() {
    simple_queue("builds");
    put("builds");
    channel("news");
    publish("news");
    send("nux", "max");
    writing(store(), [&](Ledger& ledger) {
      must(ledger.add_nudge({.id = {1 << 20}, .target = {1}, .sender = {1}}));
      must(ledger.set_presence({.agent = {1}}));
    });
  }
  /// Does the damage, looks, and takes it back.
  template <class Look>
  void with(const std::string& sql, const Look& look) {
    SCOPED_TRACE(sql);
    const auto database = connect();
    must(database->begin(Access::write));
    must(database->run_script(sql));
    look(*database);
    database->rollback();
  }
};
ON_EVERY_STORE(DamagedStore);

struct Case {
  std::string sql;
  std::string found;  ///< part of what the check says
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"UPDATE message SET grade = 99999999", "grade is 99999999"},
      {"UPDATE message SET priority = -1", "priority is -1"},
      {"UPDATE message SET type = 5", "type is 5"},
      {"UPDATE message SET created_at = 9223372036854775807", "created_at is 9223372036854775807"},
      {"UPDATE message SET hops = 4294967296", "hops is 4294967296"},
      {"UPDATE delivery SET priority = 7", "priority is 7"},
      {"UPDATE delivery SET place = 99999999999", "place is 99999999999"},
      {"UPDATE delivery SET read_at = -9223372036854775807", "read_at is -9223372036854775807"},
      {"UPDATE agent SET address = 'no//address' WHERE id = 3", "is \"no//address\", which is not an address"},
      {"UPDATE agent SET start_on = 3", "start_on is 3"},
      {"UPDATE queue SET state = 3", "state is 3"},
      {"UPDATE queue SET sorting = 2", "sorting is 2"},
      {"UPDATE queue SET lease_ms = 9223372036854775807", "lease_ms is 9223372036854775807"},
      {"UPDATE channel SET retain_count = 4294967297", "retain_count is 4294967297"},
      {"UPDATE queue_item SET state = 9", "state is 9"},
      {"UPDATE nudge SET state = 9", "state is 9"},
      {"UPDATE nudge SET mode = 77", "mode is 77"},
      {"UPDATE nudge SET source = 6", "source is 6"},
      {"UPDATE nudge SET kind = 5", "kind is 5"},
      {"UPDATE nudge SET grade = 444", "grade is 444"},
      {"UPDATE nudge SET deliver_after = 9223372036854775807", "deliver_after is 9223372036854775807"},
      {"UPDATE presence SET state = 11", "state is 11"},
      {"UPDATE presence SET pid = 4294967297", "pid is 4294967297"},
      {"UPDATE watch SET awake = 9223372036854775807", "awake is 9223372036854775807"},
  };
  return kCases;
}

/// Everything that a person or a hook would read of it.
Result<> read_all_of(Ledger& ledger) {
  TRY(agents, ledger.agents());
  for (const auto& agent : agents) TRY_VOID(ledger.list({.mailbox = agent.id, .shelf = Shelf::inbox, .limit = 50}));
  TRY(found, ledger.find_queue("builds"));
  for (const auto state : {ItemState::available, ItemState::leased, ItemState::completed, ItemState::dead})
    if (found) TRY_VOID(ledger.items(found->id, state, 10));
  TRY_VOID(ledger.channels());
  TRY_VOID(ledger.nudges({.limit = 10}));
  TRY_VOID(ledger.presences());
  TRY_VOID(ledger.watch());
  for (const auto& agent : agents) {
    TRY(sent, ledger.sent(agent.id, std::nullopt, 10));
    for (const auto& message : sent) {
      TRY_VOID(ledger.deliveries(message.id));
      TRY_VOID(ledger.item(message.id));
    }
  }
  return {};
}

TEST_P(DamagedStore, IsFoundByTheCheck) {
  for (const auto& [sql, found] : cases())
    with(sql, [&, &said = found](Database& database) {
      std::string all;
      for (const auto& problem : must(damaged_values(database))) all += problem + "\n";
      EXPECT_NE(all.find(said), std::string::npos) << all;
    });
  EXPECT_EQ(must(damaged_values(*connect())), Strings{});
}

TEST_P(DamagedStore, IsAnErrorForWhoeverReadsIt) {
  for (const auto& [sql, found] : cases())
    with(sql, [](Database& database) {
      SqlLedger ledger(database, Access::write);
      const auto read = read_all_of(ledger);
      ASSERT_FALSE(read.has_value());
      EXPECT_EQ(read.error().code, Code::unavailable);
      EXPECT_NE(read.error().message.find("damaged"), std::string::npos) << read.error().message;
    });
  EXPECT_TRUE(store().read([](Ledger& ledger) { return read_all_of(ledger); }));
}

TEST_P(DamagedStore, WithoutItsOwnTimeHoldsNothingAndSaysSo) {
  with("DELETE FROM watch", [](Database& database) {
    SqlLedger ledger(database, Access::write);
    EXPECT_FALSE(ledger.watch().has_value());
    EXPECT_FALSE(ledger.set_watch({}).has_value());
    EXPECT_FALSE(ledger.next_nudge_seq(1).has_value());
  });
}

// SQLite takes anything into any column.
TEST_P(DamagedStore, OfSqliteMayHoldOtherKindsOfValues) {
  if (GetParam().name != "sqlite") return;  // a server knows its types
  for (const auto& [sql, found] : {Case{"UPDATE message SET subject = CAST(x'ff41' AS TEXT)", "subject is not UTF-8"},
                                   {"UPDATE message SET body = 'a' || char(0) || 'b'", "body is not UTF-8"},
                                   {"UPDATE message SET grade = 'much'", "grade is not a number"},
                                   {"UPDATE message SET created_at = 1.5", "created_at is not a number"}})
    with(sql, [&, &said = found](Database& database) {
      std::string all;
      for (const auto& problem : must(damaged_values(database))) all += problem + "\n";
      EXPECT_NE(all.find(said), std::string::npos) << all;
      SqlLedger ledger(database, Access::write);
      EXPECT_FALSE(read_all_of(ledger).has_value());
    });
}

TEST_P(DamagedStore, ACursorBeyondEveryNumberIsGone) {
  for (const auto seq : {INT64_MAX, INT64_MAX - 1, INT64_MIN, std::int64_t{0}, std::int64_t{1} << 43})
    EXPECT_EQ(reading(store(), [&](Ledger& ledger) { return must(ledger.message_with_seq(seq)); }), std::nullopt);
}

}  // namespace
}  // namespace townpost
