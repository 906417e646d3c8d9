#include "base/advice.h"
#include "contract/lists_fixture.h"
#include "store/sql_store.h"
#include "support/database_behind.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class ClaimsTest : public ListsTest {
 protected:
  std::string why_not(const Result<QueuedItem>& result) {
    const Error error = error_of(result);
    EXPECT_EQ(error.code, Code::refused) << error.message;
    EXPECT_NE(advice(error), "") << error.message;
    return error.message;
  }
};
ON_EVERY_STORE(ClaimsTest);

TEST_P(ClaimsTest, AClaimIsALeaseAndCountsAsAnAttempt) {
  queue({.name = "dispatch", .lease = minutes(2)});
  const MessageId id = put("dispatch");
  const auto mail = claim("nux", "dispatch");
  ASSERT_TRUE(mail.has_value());
  EXPECT_EQ(mail->message.id, id);
  EXPECT_EQ(mail->message.subject, "work");
  EXPECT_EQ(mail->holder, "beads/polecats/nux");
  EXPECT_EQ(mail->queue.name, "dispatch");
  EXPECT_EQ(mail->item.state, ItemState::leased);
  EXPECT_EQ(mail->item.attempts, 1);
  EXPECT_EQ(mail->item.claimed_at, clock().now());
  EXPECT_EQ(mail->item.lease_until, clock().now() + minutes(2));
  EXPECT_EQ(claim("slit", "dispatch"), std::nullopt) << "a second claimant";
  EXPECT_EQ(claim("nux", "dispatch"), std::nullopt);
}

/// Others are before it whenever it waits for its turn.
class WaitsForItsTurn final : public DatabaseBehind {
 public:
  WaitsForItsTurn(std::unique_ptr<Database> real, std::function<void()> others)
      : DatabaseBehind(std::move(real)), others_(std::move(others)) {}
  Result<> take_turn(const std::vector<Question>& first) override {
    others_();
    return DatabaseBehind::take_turn(first);
  }

 private:
  std::function<void()> others_;
};

TEST_P(ClaimsTest, AClaimTakesItsTimeAfterItHasWaitedSoThatNoHistoryRunsBackwards) {
  queue({.name = "dispatch", .lease = seconds(2)});
  const MessageId id = put("dispatch");
  bool before_it = false;
  SqlStore slow(std::make_unique<WaitsForItsTurn>(connect(),
                                                  [&] {
                                                    clock().advance(seconds(1));
                                                    if (before_it)
                                                      must(claims().release(claim("slit")->message.id, caller("slit")));
                                                    clock().advance(seconds(4));
                                                  }),
                nullptr);
  Town late{town().folder, town().settings, slow, town().bell, town().machine, town().clock, town().random};
  const auto check_times = [&](const QueueItem& item) {
    EXPECT_EQ(item.claimed_at, clock().now());
    EXPECT_EQ(item.lease_until, clock().now() + seconds(2));
    EXPECT_EQ(item.state, ItemState::leased);
  };
  before_it = true;
  check_times(must(Claims(late).claim("dispatch", caller("nux")))->item);
  before_it = false;
  const auto extended = must(Claims(late).extend(id, seconds(2), caller("nux"))).item;
  EXPECT_EQ(extended.lease_until, clock().now() + seconds(2));
  must(Claims(late).release(id, caller("nux")));
  check_times(must(Claims(late).claim("dispatch", caller("nux")))->item);
  must(Claims(late).fail_attempt(id, "", caller("nux")));
  check_times(must(Claims(late).claim("dispatch", caller("nux")))->item);
  must(Claims(late).complete(id, caller("nux")));
  const auto history = reading(store(), [&](Ledger& ledger) { return must(ledger.events_of(id)); });
  EXPECT_GT(history.size(), 8u);
  EXPECT_TRUE(
      std::is_sorted(history.begin(), history.end(), [](const Event& a, const Event& b) { return a.at < b.at; }));
}

TEST_P(ClaimsTest, TheOldestComesFirst) {
  simple_queue("dispatch");
  const MessageId first = put("dispatch", Priority::lowest);
  const MessageId second = put("dispatch", Priority::urgent);
  EXPECT_EQ(claimed_id("nux", "dispatch"), first);
  EXPECT_EQ(claimed_id("nux", "dispatch"), second);
}

TEST_P(ClaimsTest, InAQueueOfPrioritiesTheUrgentComesFirstThenTheOldest) {
  queue({.name = "dispatch", .order = QueueOrder::priority});
  const MessageId low = put("dispatch", Priority::low);
  const MessageId normal = put("dispatch");
  const MessageId urgent = put("dispatch", Priority::urgent);
  const MessageId later = put("dispatch");
  for (const auto id : {urgent, normal, later, low}) EXPECT_EQ(claimed_id("nux", "dispatch"), id);
}

TEST_P(ClaimsTest, OnlyThoseWhoMayClaim) {
  group("backend", {"max", "group:inner"});
  group("inner", {"slit"});
  struct Case {
    std::string claimers;
    Strings may;
    Strings may_not;
  };
  int number = 0;
  for (const auto& [claimers, may, may_not] :
       {Case{"*", {"nux", "max", "mayor/", "overseer"}, {}},
        Case{"beads/polecats/*", {"nux", "slit", "overseer"}, {"max", "mayor/", "beads/witness"}},
        Case{"beads/polecats/n*", {"nux"}, {"slit"}}, Case{"max", {"max", "overseer"}, {"nux"}},
        Case{"@polecats", {"nux", "slit"}, {"max"}}, Case{"@backend", {"max", "slit"}, {"nux"}},
        Case{"backend", {"max", "slit"}, {"nux"}},
        Case{"*/witness", {"alpha/witness", "beads/witness"}, {"nux", "alpha/refinery"}},
        Case{"mayor", {"mayor/"}, {"deacon/", "nux"}}}) {
    const std::string name = cat("q", ++number);
    queue({.name = name, .claimers = claimers});
    for (const auto& who : may_not) {
      const Error error = error_of(claims().claim(name, caller(who)));
      EXPECT_EQ(error.code, Code::forbidden) << who << " of " << claimers;
      EXPECT_NE(advice(error), "");
    }
    for (const auto& who : may) {
      put(name);
      EXPECT_TRUE(claims().claim(name, caller(who)).has_value()) << who << " of " << claimers;
    }
    EXPECT_EQ(counts(name), (QueueCounts{0, static_cast<std::int64_t>(may.size()), 0, 0})) << claimers;
  }
}

TEST_P(ClaimsTest, APersonMayClaimFromEveryQueue) {
  queue({.name = "dispatch", .claimers = "mayor/"});
  const auto id = put("dispatch");
  const auto mail = must(claims().claim(std::nullopt, caller("overseer")));
  ASSERT_TRUE(mail.has_value());
  EXPECT_EQ(mail->message.id, id);
  EXPECT_EQ(must(claims().complete(id, caller("overseer"))).item.state, ItemState::completed);
}

TEST_P(ClaimsTest, WhoMayClaimIsLookedUpAtEveryClaim) {
  group("backend", {"max"});
  queue({.name = "dispatch", .claimers = "group:backend"});
  put("dispatch");
  EXPECT_EQ(error_of(claims().claim("dispatch", caller("nux"))).code, Code::forbidden);
  must(groups().edit("backend", Groups::Edit::add, {"nux"}, caller("overseer")));
  EXPECT_TRUE(claim("nux", "dispatch").has_value());
}

TEST_P(ClaimsTest, WithoutAQueueTheOldestOfAllThatOneMayClaimComesFirst) {
  simple_queue("zeta");
  simple_queue("alpha-work");
  queue({.name = "crew-only", .claimers = "@crew"});
  queue({.name = "paused-one"});
  put("crew-only");
  put("paused-one");
  must(queues().set_state("paused-one", QueueState::paused));
  const MessageId first = put("zeta");
  const MessageId second = put("alpha-work");
  const MessageId third = put("zeta");
  for (const auto id : {first, second, third}) EXPECT_EQ(claimed_id("nux"), id);
  EXPECT_EQ(claim("nux"), std::nullopt);
  EXPECT_TRUE(claim("max").has_value());
}

TEST_P(ClaimsTest, AQueueAtItsLimitDoesNotHideTheOthers) {
  queue({.name = "narrow", .max_concurrency = 1});
  simple_queue("wide");
  put("narrow");
  put("narrow");
  const MessageId other = put("wide");
  claim("nux");
  EXPECT_EQ(claimed_id("slit"), other);
}

TEST_P(ClaimsTest, AQueueThatIsNotThereIsTold) {
  simple_queue("dispatch");
  const Error error = error_of(claims().claim("dispach", caller("nux")));
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_TRUE(has(advice(error), "dispatch")) << advice(error);
}

TEST_P(ClaimsTest, ALeaseThatRanOutMakesTheMessageAvailableAgain) {
  queue({.name = "dispatch", .lease = minutes(1)});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(1) - Millis(1));
  EXPECT_EQ(claim("slit", "dispatch"), std::nullopt);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 0, 0}));
  clock().advance(Millis(1));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 0})) << "exact before anybody sweeps";
  const auto again = claim("slit", "dispatch");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->message.id, id);
  EXPECT_EQ(again->item.attempts, 2);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 0, 0}));
}

TEST_P(ClaimsTest, AfterTheMostAttemptsAMessageIsDead) {
  queue({.name = "dispatch", .lease = minutes(1), .max_attempts = 2});
  put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(1));
  claim("nux", "dispatch");
  clock().advance(minutes(1));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 0, 1}));
  EXPECT_EQ(claim("nux", "dispatch"), std::nullopt);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 0, 1}));
}

TEST_P(ClaimsTest, AFailedAttemptIsTriedAgainUntilItIsDead) {
  queue({.name = "dispatch", .max_attempts = 2});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  const auto before = bell().rings(BellKey::queues());
  auto after = must(claims().fail_attempt(id, "tests are red", caller("nux")));
  EXPECT_GT(bell().rings(BellKey::queues()), before) << "somebody else may try";
  EXPECT_EQ(after.item.state, ItemState::available);
  EXPECT_EQ(after.item.attempts, 1);
  EXPECT_EQ(after.item.reason, "tests are red");
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 0}));
  claim("slit", "dispatch");
  after = must(claims().fail_attempt(id, "", caller("slit")));
  EXPECT_EQ(after.item.state, ItemState::dead);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 0, 1}));
  EXPECT_TRUE(has(why_not(claims().complete(id, caller("slit"))), "is dead"));
}

// G164, G165
TEST_P(ClaimsTest, ReleaseGivesTheMessageAndTheAttemptBack) {
  queue({.name = "dispatch", .max_attempts = 1});
  const MessageId id = put("dispatch");
  EXPECT_TRUE(has(why_not(claims().release(id, caller("nux"))), "not claimed"));
  claim("nux", "dispatch");
  EXPECT_TRUE(has(why_not(claims().release(id, caller("slit"))), "was claimed by beads/polecats/nux"));
  const auto before = bell().rings(BellKey::queues());
  const auto released = must(claims().release(id, caller("nux")));
  EXPECT_GT(bell().rings(BellKey::queues()), before);
  EXPECT_EQ(released.item.attempts, 0);
  EXPECT_EQ(released.item.holder, std::nullopt);
  EXPECT_EQ(released.queue.name, "dispatch");
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 0}));
  const auto other = claim("slit", "dispatch");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->item.attempts, 1);
  const MessageId mail = send("nux", "max").message.id;
  EXPECT_TRUE(has(why_not(claims().release(mail, caller("max"))), "not a queue message"));
}

TEST_P(ClaimsTest, NobodyEndsWhatSomebodyElseHolds) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  const MessageId mail = send("nux", "max").message.id;
  for (const auto* who : {"slit", "overseer", "mayor/"}) {
    SCOPED_TRACE(who);
    EXPECT_TRUE(has(why_not(claims().complete(id, caller(who))), "not claimed"));
    EXPECT_TRUE(has(why_not(claims().fail_attempt(id, "", caller(who))), "not claimed"));
    EXPECT_TRUE(has(why_not(claims().extend(id, std::nullopt, caller(who))), "not claimed"));
    EXPECT_TRUE(has(why_not(claims().complete(mail, caller(who))), "not a queue message"));
  }
  claim("nux", "dispatch");
  for (const auto* who : {"slit", "overseer", "mayor/"}) {
    SCOPED_TRACE(who);
    EXPECT_TRUE(has(why_not(claims().complete(id, caller(who))), "was claimed by beads/polecats/nux"));
    EXPECT_TRUE(has(why_not(claims().fail_attempt(id, "", caller(who))), "was claimed by beads/polecats/nux"));
    EXPECT_TRUE(has(why_not(claims().extend(id, std::nullopt, caller(who))), "was claimed by beads/polecats/nux"));
  }
  EXPECT_EQ(error_of(claims().complete({1}, caller("nux"))).code, Code::not_found);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 0, 0}));
}

TEST_P(ClaimsTest, CompletingTwiceIsTheSameAsOnce) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  const auto done = must(claims().complete(id, caller("nux")));
  EXPECT_EQ(done.item.state, ItemState::completed);
  EXPECT_EQ(done.item.ended_at, clock().now());
  clock().advance(minutes(60));
  const auto again = must(claims().complete(id, caller("nux")));
  EXPECT_EQ(again.item, done.item);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 1, 0}));
  const auto all = events(id);
  EXPECT_EQ(std::count(all.begin(), all.end(), "completed"), 1);
  EXPECT_TRUE(has(why_not(claims().complete(id, caller("slit"))), "was completed by beads/polecats/nux"));
  EXPECT_TRUE(has(why_not(claims().release(id, caller("nux"))), "was completed by"));
  EXPECT_TRUE(has(why_not(claims().fail_attempt(id, "", caller("nux"))), "was completed by"));
  EXPECT_TRUE(has(why_not(claims().extend(id, std::nullopt, caller("nux"))), "was completed by"));
}

TEST_P(ClaimsTest, TheHolderMayCompleteAfterItsLeaseAsLongAsNobodyElseHasClaimed) {
  queue({.name = "dispatch", .lease = minutes(1)});
  const MessageId unswept = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(5));
  must(claims().complete(unswept, caller("nux")));

  const MessageId swept = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(5));
  const MessageId other = put("dispatch");
  must(queues().set_state("dispatch", QueueState::active));
  EXPECT_EQ(claimed_id("slit", "dispatch"), swept) << "the oldest";
  must(claims().release(swept, caller("slit")));
  EXPECT_TRUE(has(why_not(claims().complete(swept, caller("nux"))), "not claimed")) << "slit had it in between";

  EXPECT_EQ(claimed_id("nux", "dispatch"), swept);
  clock().advance(minutes(5));
  EXPECT_EQ(claimed_id("slit", "dispatch"), swept);
  EXPECT_TRUE(has(why_not(claims().complete(swept, caller("nux"))), "was claimed by beads/polecats/slit"));
  must(claims().complete(swept, caller("slit")));
  EXPECT_EQ(claimed_id("slit", "dispatch"), other);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 2, 0}));
}

TEST_P(ClaimsTest, TheHolderOfADeadMessageMayStillComplete) {
  queue({.name = "dispatch", .lease = minutes(1), .max_attempts = 1});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(2));
  claim("slit", "dispatch");  // sweeps
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 0, 1}));
  must(claims().complete(id, caller("nux")));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 1, 0}));
}

TEST_P(ClaimsTest, ExtendBeginsTheLeaseAnew) {
  queue({.name = "dispatch", .lease = minutes(2)});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(1));
  EXPECT_EQ(must(claims().extend(id, std::nullopt, caller("nux"))).item.lease_until, clock().now() + minutes(2));
  EXPECT_EQ(must(claims().extend(id, minutes(30), caller("nux"))).item.lease_until, clock().now() + minutes(30));
  clock().advance(minutes(30) - Millis(1));
  EXPECT_EQ(claim("slit", "dispatch"), std::nullopt);
  EXPECT_EQ(must(claims().extend(id, std::nullopt, caller("nux"))).item.attempts, 1) << "no new attempt";
}

TEST_P(ClaimsTest, ALeaseThatRanOutMayBeExtendedWhileNobodyElseHasClaimed) {
  queue({.name = "dispatch", .lease = minutes(1)});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  clock().advance(minutes(5));
  must(claims().extend(id, std::nullopt, caller("nux")));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 0, 0}));
  EXPECT_EQ(claim("slit", "dispatch"), std::nullopt);
  clock().advance(minutes(5));
  claim("slit", "dispatch");
  EXPECT_TRUE(has(why_not(claims().extend(id, std::nullopt, caller("nux"))), "was claimed by beads/polecats/slit"));
}

TEST_P(ClaimsTest, WhatTheHolderOfADeadMessageMayDoDoesNotDependOnASweep) {
  for (const bool swept : {false, true}) {
    const std::string name = swept ? "swept" : "unswept";
    queue({.name = name, .lease = minutes(1), .max_attempts = 1});
    const MessageId id = put(name);
    claim("nux", name);
    clock().advance(minutes(1));
    if (swept) claim("slit", name);
    EXPECT_EQ(counts(name), (QueueCounts{0, 0, 0, 1}));
    EXPECT_FALSE(claims().extend(id, std::nullopt, caller("nux")).has_value()) << name;
    EXPECT_FALSE(claims().release(id, caller("nux")).has_value()) << name;
    EXPECT_EQ(counts(name), (QueueCounts{0, 0, 0, 1})) << name;
  }
}

TEST_P(ClaimsTest, NoMoreLeasesAtATimeThanAllowed) {
  queue({.name = "dispatch", .max_concurrency = 2, .lease = minutes(1)});
  std::vector<MessageId> work;
  for (int i = 0; i < 4; ++i) work.push_back(put("dispatch"));
  EXPECT_EQ(claimed_id("nux", "dispatch"), work[0]);
  EXPECT_EQ(claimed_id("slit", "dispatch"), work[1]);
  EXPECT_EQ(claim("max", "dispatch"), std::nullopt);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{2, 2, 0, 0}));
  const auto before = bell().rings(BellKey::queues());
  must(claims().complete(work[0], caller("nux")));
  EXPECT_GT(bell().rings(BellKey::queues()), before) << "there is room for another";
  EXPECT_EQ(claimed_id("max", "dispatch"), work[2]);
  EXPECT_EQ(claim("max", "dispatch"), std::nullopt);
  clock().advance(minutes(1));  // all of them lost
  EXPECT_EQ(claimed_id("nux", "dispatch"), work[1]);
  EXPECT_EQ(claimed_id("nux", "dispatch"), work[2]);
  EXPECT_EQ(claim("nux", "dispatch"), std::nullopt);
}

TEST_P(ClaimsTest, AnExtendedLeaseTakesNoPlaceThatIsTaken) {
  queue({.name = "dispatch", .order = QueueOrder::priority, .max_concurrency = 1, .lease = minutes(1)});
  const MessageId late = put("dispatch", Priority::low);
  claim("nux", "dispatch");
  clock().advance(minutes(1));
  const MessageId urgent = put("dispatch", Priority::urgent);
  EXPECT_EQ(claimed_id("slit", "dispatch"), urgent) << "nux has lost its lease, so there is room";
  EXPECT_TRUE(has(why_not(claims().extend(late, std::nullopt, caller("nux"))), "others work on dispatch"));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 1, 0, 0}));
  must(claims().complete(urgent, caller("slit")));
  must(claims().extend(late, std::nullopt, caller("nux")));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 1, 0}));
}

TEST_P(ClaimsTest, WhoClaimsForTheFirstTimeIsRegistered) {
  simple_queue("dispatch");
  put("dispatch");
  const Caller stranger{must(Address::parse("stranger")), Grade::env};
  EXPECT_EQ(must(claims().claim("dispatch", stranger))->holder, "stranger");
  EXPECT_EQ(agent_of("stranger").address.str(), "stranger");
}

TEST_P(ClaimsTest, ARenamedHolderKeepsItsClaim) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  must(registry().alias("beads/polecats/nux", "beads/polecats/nuxor"));
  must(claims().complete(id, caller("beads/polecats/nuxor")));
}

TEST_P(ClaimsTest, WhatIsClaimedCountsForTheChainOfTheTurn) {
  simple_queue("dispatch");
  Message last = send("nux", "slit").message;
  last = reply("slit", last.id).message;
  last = reply("nux", last.id).message;
  Letter work = letter("queue:dispatch");
  work.reply_to = last.id;
  const int depth = send("slit", work).message.hops;
  EXPECT_GT(depth, 2);
  claim("max", "dispatch");
  EXPECT_EQ(send("max", "nux").message.hops, depth + 1);
}

TEST_P(ClaimsTest, CountsAddUpAtEveryMoment) {
  queue({.name = "dispatch", .lease = minutes(1), .max_attempts = 2});
  std::int64_t sent = 0;
  const auto total = [&] {
    const auto c = counts("dispatch");
    return c.available + c.processing + c.completed + c.failed;
  };
  for (int i = 0; i < 40; ++i) {
    if (i % 2 == 0) {
      put("dispatch");
      ++sent;
    }
    const auto mail = claim(i % 3 == 0 ? "nux" : "slit", "dispatch");
    if (mail && i % 4 == 0) must(claims().complete(mail->message.id, {must(Address::parse(mail->holder)), Grade::env}));
    if (mail && i % 4 == 1)
      must(claims().fail_attempt(mail->message.id, "", {must(Address::parse(mail->holder)), Grade::env}));
    if (mail && i % 4 == 2) must(claims().release(mail->message.id, {must(Address::parse(mail->holder)), Grade::env}));
    clock().advance(seconds(25));
    ASSERT_EQ(total(), sent) << "after step " << i;
  }
}

}  // namespace
}  // namespace townpost
