// What the services do is in the one log, for whoever follows the town.
#include "contract/lists_fixture.h"
#include "post/nudge/cares.h"
#include "post/nudge/nudges.h"
#include "store/sql_admin.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

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

TEST_P(Following, WhoeverHadAWispLearnsThatItIsDropped) {
  const AgentId nux = id_of("nux");
  Letter wisp = letter("nux");
  wisp.wisp = true;
  const MessageId id = send("max", wisp).message.id;
  mark(id, Mark::read, "nux");
  send("max", "slit");  // the newest message stays
  told(nux);
  clock().advance(hours(25));
  let_duties_run();
  EXPECT_EQ(told(nux), Strings{"dropped"});
}

TEST_P(Following, OfWhatIsErasedOnlyTheEndIsFollowedAndWithoutWords) {
  const AgentId nux = id_of("nux");
  const auto from = extent().newest;
  must(Nudges(town()).send({.to = {"nux"}, .text = "now", .mode = NudgeMode::immediate}, caller("max")));
  const auto line = reading(store(), [&](Ledger& ledger) { return must(ledger.pending_nudges(nux)); });
  must(Nudges(town()).drop(line.at(0).id, "not needed", caller("max")));
  clock().advance(kNudgeMemory + hours(1));
  writing(store(), [&](Ledger& ledger) { must(ledger.erase_ended_nudges(clock().now() - kNudgeMemory, 10)); });
  for (const auto reader : {id_of("max"), id_of("slit")}) {  // its target is named in each entry
    const auto page = reading(store(), [&](Ledger& ledger) {
      return must(ledger.events_after({.after = from, .reader = reader, .limit = 1000}));
    });
    ASSERT_EQ(page.events.size(), 1u);
    EXPECT_EQ(page.events[0].kind, EventKind::dropped);
    EXPECT_EQ(page.events[0].detail, "");
    EXPECT_EQ(page.events[0].agent, std::nullopt);
  }
}

TEST_P(Following, APurgeTakesNothingFromWhoeverFollows) {
  const MessageId gone = send("max", "nux").message.id;
  send("max", "nux");
  const AgentId nux = id_of("nux");
  const auto before = extent().newest;
  mark(gone, Mark::deleted, "nux");
  EXPECT_EQ(told(nux).back(), "deleted") << "for a reader that was here all the time this is the end of it";
  clock().advance(hours(1));
  must(SqlAdmin(connect(), "").purge(clock().now()));
  EXPECT_EQ(told(nux), Strings{});
  const auto late = reading(store(), [&](Ledger& ledger) {
    return must(ledger.events_after({.after = before, .reader = nux, .limit = 1000}));
  });
  EXPECT_TRUE(late.resync) << "whoever had not come so far is told that something is missing";
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

// The list in decision 13. What is followed one day goes out of it, and into the test above it.
TEST_P(Following, RegistrationsGroupsAndSubscriptionsAreNotInTheLog) {
  channel("news");
  publish("news");
  told();
  must(registry().add_rig({.name = "shed", .path = "/shed"}));
  must(registry().add_agent({.address = "newcomer", .description = "new"}, caller("overseer")));
  must(registry().alias("newcomer", "oldtimer"));
  must(registry().remove_agent("oldtimer"));
  must(registry().remove_rig("shed"));
  group("ops", {"nux"});
  must(groups().edit("ops", Groups::Edit::add, {"max"}, caller("overseer")));
  must(groups().remove("ops", caller("overseer")));
  subscribe("slit", "news");
  read_channel("slit", "news");
  must(channels().unsubscribe("news", std::nullopt, caller("slit")));
  EXPECT_EQ(told(), Strings{});
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

TEST_P(Following, TheLogCostsASendTwoStatementsHoweverManyEventsItHas) {
  DatabaseCounts asked;
  SqlStore counted(std::make_unique<CountingDatabase>(connect(), asked), nullptr);
  const auto cost = [&](int events) {
    asked = {};
    writing(counted, [&](Ledger& ledger) {
      for (int i = 0; i < events; ++i) must(ledger.add_event({.at = clock().now(), .kind = EventKind::started}));
    });
    return asked.statements;
  };
  EXPECT_EQ(cost(0), 0);
  EXPECT_EQ(cost(1), 3);
  EXPECT_EQ(cost(10), 12);

  Town same{town().folder, town().settings, counted, town().bell, town().machine, town().clock, town().random};
  const auto max = caller("max");
  must(PostOffice(same).send(letter("nux"), max));
  mark(inbox("nux").at(0).message.id, Mark::read, "nux");
  asked = {};
  must(PostOffice(same).send(letter("nux"), max));
  EXPECT_LE(asked.statements, 30);
}

}  // namespace
}  // namespace townpost
