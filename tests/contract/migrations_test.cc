#include "store/migrations.h"

#include <array>

#include "base/advice.h"
#include "base/text.h"
#include "contract/store_contract.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

namespace townpost {
namespace {

constexpr Migration kFirst{1, "CREATE TABLE one (id ID64 PRIMARY KEY); INSERT INTO one (id) VALUES (1);", ""};
constexpr Migration kSecond{2, "CREATE TABLE two (id ID64 PRIMARY KEY); INSERT INTO two (id) VALUES (2);", ""};
constexpr Migration kBroken{2, "CREATE TABLE two (id ID64 PRIMARY KEY); INSERT INTO nowhere (id) VALUES (2);", ""};

class Migrations : public ::testing::TestWithParam<StoreKind> {
 protected:
  std::unique_ptr<Database> connect() { return site_->connect(); }
  /// A store of this version, with what the script put in, brought up to date.
  std::unique_ptr<Store> updated(std::size_t version, const std::string& script) {
    auto database = connect();
    must(migrate(*database, migrations().first(version)));
    must(database->run_script(script));
    must(migrate(*database));
    EXPECT_EQ(must(database->schema_version()), migrations().back().version);
    return open_store(*site_);
  }

 private:
  std::unique_ptr<StoreSite> site_ = GetParam().make_site();
};

INSTANTIATE_TEST_SUITE_P(, Migrations, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

std::int64_t rows_of(Database& database, Sql count) {
  std::int64_t rows = -1;
  must(database.run(count, {}, [&](const Row& row) {
    rows = row.integer(0);
    return Next::stop;
  }));
  return rows;
}

TEST_P(Migrations, AFreshStoreComesToTheLatestSchema) {
  auto database = connect();
  EXPECT_EQ(must(database->schema_version()), 0);
  must(migrate(*database));
  EXPECT_EQ(must(database->schema_version()), migrations().back().version);
  EXPECT_TRUE(check_schema(*database).has_value());
}

TEST_P(Migrations, AreNumberedFromOneWithoutGaps) {
  std::int64_t expected = 0;
  for (const auto& step : migrations()) EXPECT_EQ(step.version, ++expected);
}

TEST_P(Migrations, ASecondTimeChangesNothing) {
  auto site = GetParam().make_site();
  auto store = open_store(*site);
  writing(*store, [](Ledger& ledger) { must(ledger.add_rig({.name = "beads", .prefix = "be"})); });
  const auto before = reading(*store, [](Ledger& ledger) { return must(ledger.agents()).size(); });
  auto again = site->connect();
  must(migrate(*again));
  EXPECT_EQ(must(again->schema_version()), migrations().back().version);
  EXPECT_EQ(reading(*store, [](Ledger& ledger) { return must(ledger.agents()).size(); }), before);
  EXPECT_EQ(reading(*store, [](Ledger& ledger) { return must(ledger.rigs()).size(); }), 1u);
}

TEST_P(Migrations, StepFourMakesOldCopiesMailForWhoeverHasTheAddress) {
  auto store =
      updated(3,
              "INSERT INTO message (id, created_at, sender, grade, priority, type, ack_required, wisp, hops, thread,"
              " sent_from, sent_to, sent_cc, subject, body)"
              " VALUES (4711, 5, 3, 2, 1, 0, 1, 0, 2, 'gp-1', 'mayor/', 'deacon/', '', 'Hi', 'there');"
              "INSERT INTO delivery (message, mailbox, place, is_copy, priority, pinned, held_by, held_until,"
              " announced_at) VALUES (4711, 4, 0, 0, 1, 1, 'L2', 7, 6);"
              "INSERT INTO care (agent, warned, hook) VALUES (4, 0, 'gp-2');");
  reading(*store, [](Ledger& ledger) {
    EXPECT_EQ(must(ledger.delivery({4711}, {4})), (Delivery{.message = {4711},
                                                            .mailbox = {4},
                                                            .priority = Priority::high,
                                                            .pinned = true,
                                                            .held_by = "L2",
                                                            .held_until = Instant{7},
                                                            .announced_at = Instant{6},
                                                            .bead = ""}));
    EXPECT_EQ(must(ledger.message({4711}))->body, "there");
    EXPECT_EQ(must(ledger.count({4}, Shelf::offered)), 1) << "it names no bead";
    return true;
  });
}

TEST_P(Migrations, StepFiveKnowsNothingOfTheProgramsOfOldAgents) {
  auto store = updated(4,
                       "INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on,"
                       " created_at, shown_hops) VALUES (99, 'coder', 'tmux:%5', '', '', '', 0, 5, 0);");
  reading(*store, [](Ledger& ledger) {
    const Agent coder = must(ledger.agent({99})).value();
    EXPECT_EQ(coder.session, "tmux:%5");
    EXPECT_EQ(coder.harness, "");
    EXPECT_EQ(coder.pane_process, "");
    return true;
  });
}

TEST_P(Migrations, StepSevenKeepsEveryHistoryInOneLog) {
  auto store =
      updated(6,
              "INSERT INTO event (seq, at, kind, message, agent, detail) VALUES"
              " (1, 10, 'stored', 4711, NULL, 'for deacon/'), (2, 20, 'read', 4711, 4, 'by deacon/'),"
              " (3, 21, 'released', 4711, 4, 'a claim'), (4, 22, 'released', NULL, 4, 'by overseer'),"
              " (7, 30, 'refused by L3', NULL, 4, 'L3'), (8, 31, 'left undone', NULL, 2, 'a chore');"
              "INSERT INTO nudge_event (nudge, nr, at, kind, detail) VALUES"
              " (50, 1, 15, 'queued', 'by mayor/'), (50, 2, 12, 'put back', 'the clock was set back'),"
              " (50, 3, 16, 'delivered', 'seen'), (51, 1, 14, 'queued', 'by deacon/');"
              "INSERT INTO outbox (id, due_at, kind, message, detail) VALUES (9, 77, 'drop-wisp', 4711, 'x');");
  const auto history = [](const std::vector<Event>& events) {
    std::vector<std::string> out;
    for (const auto& event : events) out.push_back(cat(event.at.ms, " ", name(event.kind), " ", event.detail));
    return out;
  };
  using Strings = std::vector<std::string>;
  reading(*store, [&](Ledger& ledger) {
    EXPECT_EQ(history(must(ledger.events_of(MessageId{4711}))),
              (Strings{"10 stored for deacon/", "20 read by deacon/", "21 released a claim"}));
    EXPECT_EQ(history(must(ledger.events_of(NudgeId{50}))),
              (Strings{"15 queued by mayor/", "12 put back the clock was set back", "16 delivered seen"}));
    EXPECT_EQ(history(must(ledger.events_of(NudgeId{51}))), Strings{"14 queued by deacon/"});
    const Window always{{0}, {1'000}};
    EXPECT_EQ(must(ledger.events_about({4}, EventKind::sender_freed, always, 10)).size(), 1u);
    EXPECT_EQ(must(ledger.events_about({4}, EventKind::released, always, 10)).size(), 1u);
    EXPECT_EQ(must(ledger.events_about({2}, EventKind::left_undone, always, 10)).at(0).audience, Audience::people);
    EXPECT_EQ(must(ledger.log_extent()), (LogExtent{13, 12})) << "nobody has followed it before";
    const auto duties = must(ledger.duties(DutyOwner::town, 10));
    EXPECT_EQ(duties, (std::vector<Duty>{{.id = 9,
                                          .due_at = {77},
                                          .kind = DutyKind::drop_wisp,
                                          .message = MessageId{4711},
                                          .detail = "x",
                                          .ready_at = {77}}}));
    EXPECT_TRUE(must(ledger.has_ready_duties(DutyOwner::town, {77})));
    EXPECT_FALSE(must(ledger.has_ready_duties(DutyOwner::town, {76})));
    return true;
  });
  writing(*store, [](Ledger& ledger) {
    must(ledger.add_event({.kind = EventKind::started}));
    must(ledger.add_duty({.due_at = {5}, .kind = DutyKind::drop_wisp}));
    EXPECT_EQ(must(ledger.duties(DutyOwner::town, 1)).at(0).id, 10);
  });
  reading(*store, [](Ledger& ledger) {
    EXPECT_EQ(must(ledger.log_extent()).newest, 13);
    return true;
  });
}

TEST_P(Migrations, StepEightKnowsWhoSentWhatWasPruned) {
  auto store = updated(
      7,
      "INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at,"
      " removed_at, shown_hops) VALUES (98, 'nux', '', '', '', '', 0, 5, 9, 0), (99, 'nuxine', '', '', '', '', 0, 5, "
      "NULL, 0);"
      "INSERT INTO alias (address, agent) VALUES ('nux', 99);"
      "INSERT INTO pruned_post (message, channel, created_at, pruned_at, sent_from, subject, reason) VALUES"
      " (1, 1, 5, 6, 'nuxine', 's', 'r'), (2, 1, 5, 6, 'nux', 's', 'r'), (3, 1, 5, 6, 'nobody', 's', 'r');");
  reading(*store, [](Ledger& ledger) {
    EXPECT_EQ(must(ledger.pruned_post({1}))->sender, AgentId{99});
    EXPECT_EQ(must(ledger.pruned_post({2}))->sender, AgentId{99}) << "a name that moved on is the heir's";
    EXPECT_EQ(must(ledger.pruned_post({3}))->sender, AgentId{0});
    return true;
  });
}

TEST_P(Migrations, StepTenKeepsTheIdsOfQueues) {
  auto store = updated(
      9,
      "INSERT INTO rig (name, prefix, path, target, test_command, created_at) VALUES ('gastown', 'gt', '/', 'main', "
      "'', 5);"
      "INSERT INTO queue (id, name, rig, claimers, sorting, max_concurrency, lease_ms, max_attempts, state, created_at)"
      " VALUES (1, 'merge', 'gastown', '*', 0, 0, 60000, 5, 0, 5), (2, 'gone', 'nowhere', '*', 0, 0, 60000, 5, 0, 5),"
      " (3, 'dispatch', '', '*', 0, 0, 60000, 5, 0, 5);");
  reading(*store, [](Ledger& ledger) {
    EXPECT_EQ(queue_bead(must(ledger.find_queue("merge")).value()), "gt-q-merge");
    EXPECT_EQ(queue_bead(must(ledger.find_queue("gone")).value()), "hq-q-gone");
    EXPECT_EQ(queue_bead(must(ledger.find_queue("dispatch")).value()), "hq-q-dispatch");
    return true;
  });
}

TEST_P(Migrations, StepTwelveWithholdsTheWorkOfThoseInQuarantine) {
  auto store = updated(
      11,
      "INSERT INTO agent (id, address, session, description, start_command, resume_command, start_on, created_at,"
      " shown_hops) VALUES (98, 'evil', '', '', '', '', 0, 5, 0), (99, 'good', '', '', '', '', 0, 5, 0);"
      "INSERT INTO care (agent, warned, hook, quarantined_at) VALUES (98, 0, '', 7);"
      "INSERT INTO queue (id, name, rig, claimers, sorting, max_concurrency, lease_ms, max_attempts, state, created_at)"
      " VALUES (1, 'work', '', '*', 0, 0, 60000, 5, 0, 5);"
      "INSERT INTO message (id, created_at, sender, grade, priority, type, ack_required, wisp, hops, thread,"
      " sent_from, sent_to, sent_cc, subject, body) VALUES"
      " (1, 5, 98, 2, 1, 0, 0, 0, 0, 't', 'evil', 'queue:work', '', 's', 'b'),"
      " (2, 5, 99, 2, 1, 0, 0, 0, 0, 't', 'good', 'queue:work', '', 's', 'b');"
      "INSERT INTO queue_item (message, queue, state, rank, attempts, lease_until, reason) VALUES"
      " (1, 1, 0, 0, 0, 0, ''), (2, 1, 0, 0, 0, 0, '');");
  const auto claimed = [&](AgentId by) {
    std::optional<QueueLedger::Claimed> work;
    writing(*store, [&](Ledger& ledger) { work = must(ledger.claim_next({1}, by, {10}, {20})); });
    return work ? work->item.message : MessageId{};
  };
  EXPECT_EQ(claimed({99}), MessageId{2});
  EXPECT_EQ(claimed({99}), MessageId{});
  writing(*store, [](Ledger& ledger) { must(ledger.set_care({.agent = {98}})); });
  EXPECT_EQ(claimed({99}), MessageId{1});
}

/// Notes how its database would find what the rules ask of an agent.
class PlansOfRules final : public DatabaseBehind {
 public:
  PlansOfRules(std::unique_ptr<Database> real, std::string& plan) : DatabaseBehind(std::move(real)), plan_(plan) {}
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    if (sql.text().find("e.kind = $2") != std::string_view::npos && dialect() == Dialect::sqlite)
      TRY_VOID(DatabaseBehind::execute(Sql::kept(cat("EXPLAIN QUERY PLAN ", sql.text())), params, [&](const Row& row) {
        plan_ += row.string(3);
        return Next::go_on;
      }));
    return DatabaseBehind::execute(sql, params, sink);
  }

 private:
  std::string& plan_;
};

TEST_P(Migrations, StepThirteenLeavesTheRulesTheirIndexAndQueuesOutOfIt) {
  auto site = GetParam().make_site();
  auto old = site->connect();
  must(migrate(*old, migrations().first(12)));
  must(old->run_script(
      "INSERT INTO event (seq, at, kind, agent, detail, queue, audience) VALUES (1, 5, 'claimed', 3, '', 1, 0),"
      " (2, 5, 'sender freed', 3, '', NULL, 0);"
      "UPDATE log_state SET last_event = 2;"));
  must(migrate(*old));
  std::string plan;
  SqlStore store(std::make_unique<PlansOfRules>(std::move(old), plan), nullptr);
  reading(store, [](Ledger& ledger) {
    const Window always{{0}, {10}};
    EXPECT_EQ(must(ledger.events_about({3}, EventKind::sender_freed, always, 10)).size(), 1u);
    EXPECT_EQ(must(ledger.events_about({3}, EventKind::claimed, always, 10)).size(), 0u);
    return true;
  });
  if (GetParam().name == "sqlite") {
    EXPECT_EQ(plan,
              "SEARCH e USING INDEX event_of_agent (agent=? AND kind=?)"
              "SEARCH e USING INDEX event_of_agent (agent=? AND kind=?)");
  }
}

TEST_P(Migrations, OnlyTheMissingStepsAreApplied) {
  auto database = connect();
  must(migrate(*database, std::array{kFirst}));
  must(migrate(*database, std::array{kFirst, kSecond}));
  EXPECT_EQ(must(database->schema_version()), 2);
  EXPECT_EQ(rows_of(*database, "SELECT count(*) FROM one"), 1);
  EXPECT_EQ(rows_of(*database, "SELECT count(*) FROM two"), 1);
}

TEST_P(Migrations, AFailingStepLeavesTheSchemaAtTheStepBefore) {
  auto database = connect();
  EXPECT_EQ(error_of(migrate(*database, std::array{kFirst, kBroken})).code, Code::unavailable);
  EXPECT_EQ(must(database->schema_version()), 1);
  EXPECT_EQ(rows_of(*database, "SELECT count(*) FROM one"), 1);
  // Its first half is not left behind either: the corrected step makes the same table.
  must(migrate(*database, std::array{kFirst, kSecond}));
  EXPECT_EQ(must(database->schema_version()), 2);
  EXPECT_EQ(rows_of(*database, "SELECT count(*) FROM two"), 1);
}

TEST_P(Migrations, ANewerSchemaIsRefusedPolitely) {
  auto database = connect();
  must(migrate(*database, std::array{kFirst, kSecond}));
  const Error error = error_of(check_schema(*database, std::array{kFirst}));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("newer"), std::string::npos) << error.message;
  EXPECT_NE(advice(error), "");
}

TEST_P(Migrations, AnOlderSchemaIsRefusedWithTheCommandThatMigrates) {
  auto database = connect();
  must(migrate(*database, std::array{kFirst}));
  const Error error = error_of(check_schema(*database, std::array{kFirst, kSecond}));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(advice(error).find("store.migrate"), std::string::npos) << advice(error);
}

TEST_P(Migrations, AnEmptyStoreIsRefused) {
  auto database = connect();
  const Error error = error_of(check_schema(*database));
  EXPECT_EQ(error.code, Code::unavailable);
  EXPECT_NE(error.message.find("empty"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace townpost
