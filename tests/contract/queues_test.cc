#include "base/advice.h"
#include "contract/lists_fixture.h"
#include "post/mail/explain.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class QueuesTest : public ListsTest {};
ON_EVERY_STORE(QueuesTest);

TEST_P(QueuesTest, AQueueIsMadeAsWanted) {
  const auto view = queue({.name = "dispatch",
                           .claimers = "beads/polecats/*",
                           .order = QueueOrder::priority,
                           .max_concurrency = 4,
                           .lease = seconds(90),
                           .max_attempts = 3});
  EXPECT_EQ(queue_bead(view.queue), "hq-q-dispatch");
  EXPECT_EQ(view.counts, QueueCounts{});
  const auto& q = must(queues().show("dispatch")).queue;
  EXPECT_EQ(q, view.queue);
  EXPECT_EQ(q.claimers, "beads/polecats/*");
  EXPECT_EQ(q.order, QueueOrder::priority);
  EXPECT_EQ(q.max_concurrency, 4);
  EXPECT_EQ(q.lease, seconds(90));
  EXPECT_EQ(q.max_attempts, 3);
  EXPECT_EQ(q.state, QueueState::active);
}

TEST_P(QueuesTest, LeftToItselfItIsForAnyoneTenMinutesAndFiveAttempts) {
  const auto q = simple_queue("dispatch").queue;
  EXPECT_EQ(q.claimers, "*");
  EXPECT_EQ(q.order, QueueOrder::fifo);
  EXPECT_EQ(q.max_concurrency, 0);
  EXPECT_EQ(q.lease, minutes(10));
  EXPECT_EQ(q.max_attempts, 5);
}

// G170
TEST_P(QueuesTest, ARigsQueueHasTheRigsPrefix) {
  must(registry().add_rig({.name = "gastown", .path = ".", .prefix = "gt"}));
  const auto view = queue({.name = "merge", .rig = "gastown"});
  EXPECT_EQ(queue_bead(view.queue), "gt-q-merge");
  EXPECT_EQ(view.queue.rig, "gastown");
  EXPECT_EQ(error_of(queues().create({.name = "merge"})).code, Code::refused) << "names are unique per town";
  EXPECT_EQ(error_of(queues().create({.name = "other", .rig = "nowhere"})).code, Code::not_found);
}

TEST_P(QueuesTest, AQueueKeepsItsIdWhenItsRigGoesOrComesBackAsAnother) {
  must(registry().add_rig({.name = "gastown", .path = ".", .prefix = "gt"}));
  queue({.name = "merge", .rig = "gastown"});
  const auto id = [&] { return queue_bead(must(queues().show("merge")).queue); };
  must(registry().remove_rig("gastown"));
  EXPECT_EQ(id(), "gt-q-merge");
  EXPECT_EQ(queue_bead(must(queues().list()).at(0).queue), "gt-q-merge");
  must(registry().add_rig({.name = "gastown", .path = ".", .prefix = "gas"}));
  EXPECT_EQ(id(), "gt-q-merge");
}

TEST_P(QueuesTest, SettingsThatMakeNoSenseAreRefused) {
  for (const Queues::NewQueue& bad :
       {Queues::NewQueue{.name = "x", .max_concurrency = -1}, Queues::NewQueue{.name = "x", .lease = Millis(999)},
        Queues::NewQueue{.name = "x", .lease = std::chrono::hours(24 * 366)},
        Queues::NewQueue{.name = "x", .max_attempts = 0}, Queues::NewQueue{.name = "x", .claimers = ""},
        Queues::NewQueue{.name = "x", .claimers = "a/b/c/*"}, Queues::NewQueue{.name = "x", .claimers = "queue:y"},
        Queues::NewQueue{.name = "x", .claimers = "a b*"}, Queues::NewQueue{.name = "x", .claimers = "../*"}}) {
    const Error error = error_of(queues().create(bad));
    EXPECT_EQ(error.code, Code::usage) << bad.claimers;
    EXPECT_NE(advice(error), "");
  }
  EXPECT_TRUE(must(queues().list()).empty());
  queue({.name = "shortest", .lease = seconds(1), .max_attempts = 1});
}

TEST_P(QueuesTest, QueuesAreListedByNameWithTheirCounts) {
  simple_queue("zeta");
  simple_queue("alpha-work");
  put("zeta");
  const auto list = must(queues().list());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].queue.name, "alpha-work");
  EXPECT_EQ(list[1].queue.name, "zeta");
  EXPECT_EQ(list[1].counts, (QueueCounts{1, 0, 0, 0}));
}

TEST_P(QueuesTest, AMessageToAQueueIsInNobodysInbox) {
  simple_queue("dispatch");
  const Receipt receipt = send("nux", "queue:dispatch");
  ASSERT_EQ(receipt.recipients.size(), 1u);
  EXPECT_EQ(receipt.recipients[0].address, "queue:dispatch");
  EXPECT_EQ(receipt.recipients[0].state, ReachState::queued);
  for (const auto* who : {"nux", "slit", "max", "mayor/", "overseer"}) EXPECT_TRUE(inbox(who).empty()) << who;
}

TEST_P(QueuesTest, AMessageRingsForThoseWhoWaitForWork) {
  const QueueId id = simple_queue("dispatch").queue.id;
  const auto own = bell().rings(id);
  const auto all = bell().rings(BellKey::queues());
  put("dispatch");
  EXPECT_GT(bell().rings(id), own);
  EXPECT_GT(bell().rings(BellKey::queues()), all);
}

TEST_P(QueuesTest, APausedQueueTakesInAndHandsOutNothing) {
  simple_queue("dispatch");
  put("dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  const Receipt receipt = send("nux", "queue:dispatch");
  EXPECT_TRUE(has(receipt.recipients[0].reason, "paused"));
  EXPECT_EQ(counts("dispatch"), (QueueCounts{2, 0, 0, 0}));
  const Error error = error_of(claims().claim("dispatch", caller("nux")));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_TRUE(has(error.message, "is paused")) << error.message;
  EXPECT_EQ(error.next, (NextCall{"queue.resume", {{"name", "dispatch"}}, ""}));
  EXPECT_EQ(claim("nux"), std::nullopt) << "nor to who claims from any queue";
  const auto before = bell().rings(BellKey::queues());
  must(queues().set_state("dispatch", QueueState::active));
  EXPECT_GT(bell().rings(BellKey::queues()), before) << "whoever waits for work learns of it";
  EXPECT_TRUE(claim("nux", "dispatch").has_value());
}

TEST_P(QueuesTest, WorkInHandGoesOnWhileAQueueIsPaused) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  must(queues().set_state("dispatch", QueueState::paused));
  must(claims().extend(id, std::nullopt, caller("nux")));
  must(claims().complete(id, caller("nux")));
  EXPECT_EQ(counts("dispatch").completed, 1);
}

TEST_P(QueuesTest, AClosedQueueRefusesAndIsWorkedOff) {
  simple_queue("dispatch");
  put("dispatch");
  must(queues().set_state("dispatch", QueueState::closed));
  const Error error = refusal("nux", "queue:dispatch");
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_EQ(error.message, "queue dispatch is closed");
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 0})) << "nothing was stored";
  EXPECT_TRUE(claim("nux", "dispatch").has_value());
  must(queues().set_state("dispatch", QueueState::active));
  put("dispatch");
}

TEST_P(QueuesTest, AQueueWithUnfinishedMessagesIsNotDeleted) {
  simple_queue("dispatch");
  const MessageId id = put("dispatch");
  for (const bool claimed : {false, true}) {
    if (claimed) claim("nux", "dispatch");
    const Error error = error_of(queues().remove("dispatch", Queues::Unfinished::refuse));
    EXPECT_EQ(error.code, Code::refused);
    EXPECT_TRUE(has(error.message, "1 unfinished")) << error.message;
    EXPECT_TRUE(has(advice(error), "add force")) << advice(error);
  }
  must(claims().complete(id, caller("nux")));
  must(queues().remove("dispatch", Queues::Unfinished::refuse));
  EXPECT_TRUE(must(queues().list()).empty());
  EXPECT_EQ(error_of(queues().show("dispatch")).code, Code::not_found);
}

TEST_P(QueuesTest, WhatIsInADeletedQueueIsHandedToNobody) {
  simple_queue("dispatch");
  put("dispatch");
  must(queues().remove("dispatch", Queues::Unfinished::drop));
  EXPECT_EQ(claim("nux"), std::nullopt);
  simple_queue("dispatch");
  EXPECT_EQ(claim("nux", "dispatch"), std::nullopt) << "a new queue of that name begins empty";
}

TEST_P(QueuesTest, DeadMessagesDoNotKeepAQueueFromBeingDeleted) {
  queue({.name = "dispatch", .max_attempts = 1});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  must(claims().fail_attempt(id, "no", caller("nux")));
  must(queues().remove("dispatch", Queues::Unfinished::refuse));
}

TEST_P(QueuesTest, AQueueShowsWhoWorksOnWhat) {
  queue({.name = "dispatch", .order = QueueOrder::priority});
  const MessageId low = put("dispatch", Priority::low);
  const MessageId urgent = put("dispatch", Priority::urgent);
  put("dispatch", Priority::lowest);
  claim("nux", "dispatch");
  claim("slit", "dispatch");
  const auto working = must(queues().processing("dispatch", {}));
  ASSERT_EQ(working.size(), 2u);
  EXPECT_EQ(working[0].message.id, urgent);
  EXPECT_EQ(working[0].holder, "beads/polecats/nux");
  EXPECT_EQ(working[1].message.id, low);
  EXPECT_EQ(working[1].holder, "beads/polecats/slit");
  clock().advance(minutes(10));
  EXPECT_TRUE(must(queues().processing("dispatch", {})).empty()) << "their leases ran out";
}

TEST_P(QueuesTest, DeadLettersAreListedAndRetried) {
  queue({.name = "dispatch", .max_attempts = 1});
  queue({.name = "other", .max_attempts = 1});
  const MessageId failed = put("dispatch");
  const MessageId lost = put("dispatch");
  claim("nux", "dispatch");
  must(claims().fail_attempt(failed, "tests are red", caller("nux")));
  claim("nux", "dispatch");
  clock().advance(minutes(10));
  const auto dead = must(queues().dead("dispatch", {}));
  ASSERT_EQ(dead.size(), 2u) << "one failed; the lease of the other ran out and nobody swept it";
  EXPECT_EQ(dead[0].message.id, failed);
  EXPECT_EQ(dead[0].item.reason, "tests are red");
  EXPECT_EQ(dead[1].message.id, lost);
  EXPECT_EQ(must(queues().dead(std::nullopt, {})).size(), 2u);
  EXPECT_TRUE(must(queues().dead("other", {})).empty());
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 0, 0, 2}));

  const auto before = bell().rings(BellKey::queues());
  const auto again = must(queues().retry(lost, caller("overseer")));
  EXPECT_EQ(again.item.state, ItemState::available);
  EXPECT_EQ(again.item.attempts, 0);
  EXPECT_GT(bell().rings(BellKey::queues()), before);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 1}));
  const auto claimed = claim("slit", "dispatch");
  ASSERT_TRUE(claimed.has_value());
  EXPECT_EQ(claimed->message.id, lost);
  EXPECT_EQ(claimed->item.attempts, 1);
}

TEST_P(QueuesTest, OnlyTheDeadAreRetriedByItsSenderOrACoordinator) {
  queue({.name = "dispatch", .max_attempts = 1});
  const MessageId id = send("max", "queue:dispatch").message.id;
  const Error alive = error_of(queues().retry(id, caller("overseer")));
  EXPECT_EQ(alive.code, Code::refused);
  EXPECT_TRUE(has(alive.message, "is not dead")) << alive.message;
  claim("nux", "dispatch");
  must(claims().fail_attempt(id, "", caller("nux")));
  EXPECT_EQ(error_of(queues().retry(id, caller("nux"))).code, Code::forbidden);
  must(queues().retry(id, caller("max")));
  EXPECT_EQ(error_of(queues().retry({1}, caller("overseer"))).code, Code::not_found);
  const Error mail = error_of(queues().retry(send("nux", "max").message.id, caller("overseer")));
  EXPECT_TRUE(has(mail.message, "not a queue message")) << mail.message;
}

TEST_P(QueuesTest, TheHistoryOfAQueueMessageIsComplete) {
  queue({.name = "dispatch", .lease = minutes(1), .max_attempts = 3});
  const MessageId id = put("dispatch");
  claim("nux", "dispatch");
  must(claims().release(id, caller("nux")));
  claim("nux", "dispatch");
  must(claims().extend(id, minutes(2), caller("nux")));
  must(claims().fail_attempt(id, "tests are red", caller("nux")));
  claim("slit", "dispatch");
  clock().advance(minutes(1));
  claim("nux", "dispatch");
  must(claims().fail_attempt(id, "", caller("nux")));
  must(queues().retry(id, caller("overseer")));
  claim("max", "dispatch");
  must(claims().complete(id, caller("max")));
  EXPECT_EQ(events(id), (Strings{"stored", "claimed", "released", "claimed", "extended", "failed", "claimed",
                                 "lease-ended", "claimed", "dead", "retried", "claimed", "completed"}));
  const auto told = must(explain(town(), id, caller("overseer")));
  ASSERT_EQ(told.history.size(), 13u);
  EXPECT_TRUE(has(told.history[0].detail, "queue:dispatch"));
  EXPECT_EQ(told.history[1].who, "beads/polecats/nux");
  EXPECT_TRUE(has(told.history[1].detail, "attempt 1 of 3")) << told.history[1].detail;
  EXPECT_TRUE(has(told.history[5].detail, "tests are red"));
  EXPECT_EQ(told.history[7].who, "beads/polecats/slit");
  ASSERT_EQ(told.standings.size(), 1u) << "it is in nobody's mailbox";
  EXPECT_EQ(told.standings[0].address, "queue:dispatch");
  EXPECT_EQ(told.standings[0].state, StandingState::completed);
}

TEST_P(QueuesTest, ExplainTellsWhereAMessageStandsNow) {
  queue({.name = "dispatch", .lease = minutes(1), .max_attempts = 1});
  const MessageId id = put("dispatch");
  const auto standing = [&] { return must(explain(town(), id, caller("overseer"))).standings.at(0); };
  EXPECT_EQ(standing().state, StandingState::available);
  must(queues().set_state("dispatch", QueueState::paused));
  EXPECT_TRUE(has(standing().why, "paused")) << standing().why;
  must(queues().set_state("dispatch", QueueState::active));
  claim("nux", "dispatch");
  EXPECT_EQ(standing().state, StandingState::processing);
  EXPECT_TRUE(has(standing().why, "beads/polecats/nux")) << standing().why;
  clock().advance(minutes(1));
  EXPECT_EQ(standing().state, StandingState::dead) << "nobody swept it";
  EXPECT_TRUE(has(standing().why, "`queue.retry id=" + id.str())) << standing().why;
}

TEST_P(QueuesTest, AQueueMessageIsForItsSenderThoseWhoMayClaimAndPeople) {
  queue({.name = "dispatch", .claimers = "beads/polecats/*"});
  const MessageId id = send("max", "queue:dispatch").message.id;
  for (const auto* who : {"max", "nux", "slit", "overseer"}) {
    EXPECT_TRUE(room().read(id, Mailroom::Ack::no, caller(who)).has_value()) << who;
    EXPECT_TRUE(explain(town(), id, caller(who)).has_value()) << who;
  }
  EXPECT_EQ(error_of(room().read(id, Mailroom::Ack::no, caller("alpha/witness"))).code, Code::forbidden);
  EXPECT_EQ(error_of(explain(town(), id, caller("alpha/witness"))).code, Code::forbidden);
  EXPECT_EQ(counts("dispatch"), (QueueCounts{1, 0, 0, 0})) << "looking claims nothing";
}

TEST_P(QueuesTest, AReplyToWorkGoesToItsSender) {
  simple_queue("dispatch");
  const MessageId id = send("max", "queue:dispatch").message.id;
  claim("nux", "dispatch");
  const auto answer = must(office().reply(id, "done", PostOffice::ReplyTo::everyone, {}, caller("nux")));
  EXPECT_EQ(answer.message.to, Strings{"beads/crew/max"});
  EXPECT_EQ(counts("dispatch"), (QueueCounts{0, 1, 0, 0})) << "an answer is no new work";
}

}  // namespace
}  // namespace townpost
