// What the services do is in the one log, for whoever follows the town.
#include "contract/lists_fixture.h"
#include "post/nudge/cares.h"
#include "post/nudge/nudges.h"
#include "store/sql_store.h"

namespace townpost {
namespace {

using std::chrono::hours;

class Following : public ListsTest {
 protected:
  Following() { at_ = extent().newest; }
  LogExtent extent() {
    return reading(store(), [](Ledger& ledger) { return must(ledger.log_extent()); });
  }
  /// What is new since the last look: the words, with Q where a queue is named, C for a channel, N for a nudge.
  Strings told(std::optional<AgentId> reader = {}) {
    const auto page = reading(store(), [&](Ledger& ledger) {
      return must(ledger.events_after({.after = at_, .reader = reader, .limit = 1000}));
    });
    EXPECT_FALSE(page.resync);
    at_ = page.upto;
    Strings out;
    for (const auto& event : page.events)
      out.push_back(cat(name(event.kind), event.queue ? " Q" : "", event.channel ? " C" : "", event.nudge ? " N" : ""));
    return out;
  }

 private:
  std::int64_t at_ = 0;
};
ON_EVERY_STORE(Following);

TEST_P(Following, MailAndItsNudgeAreFollowedByThoseItConcerns) {
  const AgentId nux = id_of("nux");
  writing(store(), [&](Ledger& ledger) { must(ledger.set_presence({.agent = nux, .state = AgentState::idle})); });
  EXPECT_EQ(told(id_of("slit")), Strings{"state"});
  const MessageId id = send("max", "nux").message.id;
  mark(id, Mark::read, "nux");
  EXPECT_EQ(told(id_of("slit")), Strings{});
  send("max", "nux");
  EXPECT_EQ(told(nux), (Strings{"queued N", "stored"}));
  send("max", "nux");
  EXPECT_EQ(told(id_of("max")), (Strings{"grew N", "stored"}));
}

TEST_P(Following, QueuesAndChannelsAreFollowedByEverybody) {
  simple_queue("builds");
  put("builds");
  const auto claimed = claim("nux", "builds");
  ASSERT_TRUE(claimed.has_value());
  channel("news");
  publish("news");
  EXPECT_EQ(told(id_of("slit")), (Strings{"queue made Q", "stored Q", "claimed Q", "channel made C", "stored C"}));
}

TEST_P(Following, HoldsAndQuarantinesAreInTheLog) {
  Cares cares(town());
  const auto human = caller("overseer");
  must(cares.hold("nux", hours(1), human));
  must(cares.release("nux", human));
  must(cares.hold(std::nullopt, hours(1), human));
  must(cares.release(std::nullopt, human));
  must(cares.quarantine("nux", human));
  must(cares.lift_quarantine("nux", human));
  must(cares.disturb_not("nux", hours(1), human));
  must(cares.disturb_again("nux", human));
  EXPECT_EQ(told(), (Strings{"hold", "hold ended", "hold", "hold ended", "quarantined", "quarantine lifted", "muted",
                             "unmuted"}));
}

TEST_P(Following, OldEntriesGoByOrdinaryWritesAndHistoriesStay) {
  town().settings.log_age = hours(1);
  town().settings.log_entries = 10;
  const MessageId kept = send("max", "nux").message.id;
  writing(store(), [&](Ledger& ledger) {
    for (int i = 0; i < 1500; ++i) must(ledger.add_event({.at = clock().now(), .kind = EventKind::started}));
  });
  clock().advance(hours(2));
  for (int i = 0; i < 6; ++i) send("overseer", "slit");
  EXPECT_GT(extent().oldest, 1400) << "a share with every write, until nothing is left to do";
  EXPECT_EQ(events(kept).front(), "stored");
  const auto duties = reading(store(), [](Ledger& ledger) { return must(ledger.duties(DutyOwner::town, 10)); });
  EXPECT_TRUE(duties.empty());
}

/// Counts the statements that go to the database.
class CountingDatabase final : public Database {
 public:
  CountingDatabase(std::unique_ptr<Database> real, int& statements) : real_(std::move(real)), statements_(statements) {}
  Dialect dialect() const override { return real_->dialect(); }
  Result<> begin(Access access) override { return real_->begin(access); }
  Result<> take_turn() override { return real_->take_turn(); }
  void notify(std::string_view text) override { real_->notify(text); }
  Result<> commit() override { return real_->commit(); }
  void rollback() override { real_->rollback(); }
  bool may_repeat() const override { return real_->may_repeat(); }
  Result<std::int64_t> execute(Sql sql, std::span<const Param> params, const RowSink& sink) override {
    ++statements_;
    return real_->execute(sql, params, sink);
  }
  Result<> run_script(const std::string& sql) override { return real_->run_script(sql); }
  Result<std::int64_t> schema_version() override { return real_->schema_version(); }
  Result<> set_schema_version(std::int64_t version) override { return real_->set_schema_version(version); }

 private:
  std::unique_ptr<Database> real_;
  int& statements_;
};

TEST_P(Following, TheLogCostsASendOneStatementHoweverManyEventsItHas) {
  int statements = 0;
  SqlStore counted(std::make_unique<CountingDatabase>(connect(), statements), nullptr);
  const auto cost = [&](int events) {
    statements = 0;
    writing(counted, [&](Ledger& ledger) {
      for (int i = 0; i < events; ++i) must(ledger.add_event({.at = clock().now(), .kind = EventKind::started}));
    });
    return statements;
  };
  EXPECT_EQ(cost(0), 0);
  EXPECT_EQ(cost(1), 2);
  EXPECT_EQ(cost(10), 11);

  Town same{town().folder, town().settings, counted, town().bell, town().machine, town().clock, town().random};
  const auto max = caller("max");
  must(PostOffice(same).send(letter("nux"), max));
  mark(inbox("nux").at(0).message.id, Mark::read, "nux");
  statements = 0;
  must(PostOffice(same).send(letter("nux"), max));
  EXPECT_LE(statements, 29) << "as many as before there was one log";
}

}  // namespace
}  // namespace townpost
