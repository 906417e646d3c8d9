// What is told of work and posts that nobody gets, or not any more: where it stands, and why.
#include "contract/lists_fixture.h"
#include "post/mail/explain.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class ListStandingTest : public ListsTest {
 protected:
  Standing standing(MessageId id, std::string_view who = "overseer") {
    return must(explain(town(), id, caller(who))).standings.at(0);
  }
  Error unreadable(MessageId id, std::string_view who) {
    return error_of(room().read(id, Mailroom::Ack::no, caller(who)));
  }
  void quarantine(std::string_view who) { must(Cares(town()).quarantine(who, caller("overseer"))); }
  void lift(std::string_view who) { must(Cares(town()).lift_quarantine(who, caller("overseer"))); }
};
ON_EVERY_STORE(ListStandingTest);

// ---- lists that were deleted ----

TEST_P(ListStandingTest, WorkOfADeletedQueueIsNobodysAndSaysSo) {
  simple_queue("jobs");
  const MessageId taken = put("jobs");
  const MessageId waiting = put("jobs");
  ASSERT_EQ(claimed_id("nux", "jobs"), taken);
  must(queues().remove("jobs", Queues::Unfinished::drop));
  for (const auto id : {taken, waiting}) {
    EXPECT_EQ(standing(id).state, StandingState::deleted);
    EXPECT_TRUE(has(standing(id).why, "its queue was deleted at")) << standing(id).why;
  }
  simple_queue("jobs");
  EXPECT_EQ(counts("jobs"), QueueCounts{}) << "another queue of that name has none of it";
  const auto nux = caller("nux");
  for (const auto& refused : {error_of(claims().release(taken, nux)), error_of(claims().extend(taken, {}, nux)),
                              error_of(claims().fail_attempt(taken, "", nux))}) {
    EXPECT_EQ(refused.code, Code::refused);
    EXPECT_TRUE(has(refused.message, "queue jobs was deleted at")) << refused.message;
  }
  must(claims().complete(taken, nux));
  EXPECT_EQ(standing(taken).state, StandingState::completed) << "what was done is done";
}

TEST_P(ListStandingTest, ADeadLetterOfADeletedQueueIsNotRetried) {
  queue({.name = "jobs", .max_attempts = 1});
  const MessageId id = put("jobs");
  claim("nux", "jobs");
  must(claims().fail_attempt(id, "", caller("nux")));
  must(queues().remove("jobs", Queues::Unfinished::refuse));
  EXPECT_TRUE(has(error_of(queues().retry(id, caller("overseer"))).message, "was deleted at"));
  EXPECT_EQ(standing(id).state, StandingState::deleted);
}

TEST_P(ListStandingTest, APostOfADeletedChannelSaysSo) {
  channel("builds");
  const auto post = publish("builds");
  must(channels().remove("builds", Channels::Posts::drop, caller("overseer")));
  EXPECT_EQ(standing(post.id).state, StandingState::deleted);
  EXPECT_TRUE(has(standing(post.id).why, "its channel was deleted at"));
}

// ---- quarantine ----

TEST_P(ListStandingTest, WorkOfSomebodyInQuarantineSaysWhyNobodyGetsIt) {
  simple_queue("jobs");
  const MessageId id = send("nux", "queue:jobs").message.id;
  put("jobs");
  EXPECT_EQ(must(queues().show("jobs")).withheld, 0);
  quarantine("nux");
  EXPECT_EQ(counts("jobs"), (QueueCounts{2, 0, 0, 0})) << "it is there";
  EXPECT_EQ(must(queues().show("jobs")).withheld, 1);
  EXPECT_TRUE(has(standing(id, "slit").why, "beads/polecats/nux is quarantined")) << standing(id, "slit").why;
  EXPECT_NE(claimed_id("slit", "jobs"), id);
  EXPECT_EQ(claimed_id("slit", "jobs"), std::nullopt);
  lift("nux");
  EXPECT_EQ(must(queues().show("jobs")).withheld, 0);
  EXPECT_EQ(standing(id).why, "it waits for a claimant");
  EXPECT_EQ(claimed_id("slit", "jobs"), id);
}

TEST_P(ListStandingTest, WhatSomebodyInQuarantineSendsToAListIsHeld) {
  simple_queue("jobs");
  channel("builds");
  quarantine("nux");
  for (const auto* to : {"queue:jobs", "channel:builds", "max"}) {
    const auto state = send("nux", to).recipients.at(0);
    EXPECT_EQ(state.state, ReachState::held) << to;
    EXPECT_EQ(state.reason, "beads/polecats/nux is quarantined") << to;
  }
  EXPECT_TRUE(has(standing(publish("builds").id).why, "is quarantined"));
}

TEST_P(ListStandingTest, WhoeverWaitsForWorkIsWokenWhenAQuarantineEnds) {
  const QueueId id = simple_queue("jobs").queue.id;
  send("nux", "queue:jobs");
  quarantine("nux");
  const auto one = bell().rings(id);
  const auto all = bell().rings(BellKey::queues());
  lift("nux");
  EXPECT_GT(bell().rings(id), one);
  EXPECT_GT(bell().rings(BellKey::queues()), all);
}

TEST_P(ListStandingTest, WhoeverWaitsForWorkIsWokenWhenAGroupThatMayClaimChanges) {
  group("crew2", {"max"});
  const QueueId id = queue({.name = "jobs", .claimers = "group:crew2"}).queue.id;
  const QueueId other = simple_queue("other").queue.id;
  const auto before = bell().rings(id);
  const auto others = bell().rings(other);
  must(groups().edit("crew2", Groups::Edit::add, {"nux"}, caller("overseer")));
  EXPECT_GT(bell().rings(id), before);
  EXPECT_EQ(bell().rings(other), others) << "it is for anyone";
}

// ---- dead letters ----

TEST_P(ListStandingTest, AttemptsThatRanOutAreTheReasonAndNotAnEarlierFailure) {
  queue({.name = "jobs", .lease = seconds(5), .max_attempts = 2});
  const MessageId id = put("jobs");
  claim("nux", "jobs");
  must(claims().fail_attempt(id, "first failure", caller("nux")));
  claim("nux", "jobs");
  clock().advance(seconds(6));
  for (const auto* who : {"overseer", "slit"}) {
    const auto dead = must(queues().dead("jobs", caller(who)));
    ASSERT_EQ(dead.size(), 1u);
    EXPECT_EQ(dead[0].item.reason, "the lease ran out") << "nobody swept it";
    EXPECT_EQ(dead[0].item.state, ItemState::dead);
    EXPECT_TRUE(has(standing(id, who).why, "the lease ran out")) << standing(id, who).why;
  }
  EXPECT_EQ(must(room().look(id, caller("slit"))).work.value().reason, "the lease ran out");
}

TEST_P(ListStandingTest, WhoeverRetriedADeadLetterIsNamedByItsHistory) {
  queue({.name = "jobs", .max_attempts = 1});
  const MessageId id = put("jobs");
  claim("nux", "jobs");
  must(claims().fail_attempt(id, "", caller("nux")));
  must(queues().retry(id, caller("overseer")));
  const auto last = must(explain(town(), id, caller("nux"))).history.back();
  EXPECT_EQ(last.what, "retried");
  EXPECT_EQ(last.who, "overseer");
}

// ---- posts that are too old ----

TEST_P(ListStandingTest, APostThatIsTooOldIsReadByNobodyEvenBeforeItIsPruned) {
  channel("builds", {.retain_hours = 1});
  const auto old = publish("builds", "yesterday");
  clock().advance(minutes(61));
  for (const auto* who : {"max", "nux", "overseer"}) {
    const auto error = unreadable(old.id, who);
    EXPECT_EQ(error.code, Code::not_found) << who;
    EXPECT_TRUE(has(error.message, "\"yesterday\" by beads/polecats/nux) is older than its channel keeps posts"))
        << error.message;
    EXPECT_EQ(error_of(explain(town(), old.id, caller(who))).code, Code::not_found) << who;
  }
  EXPECT_EQ(error_of(office().reply(old.id, "x", PostOffice::ReplyTo::sender, {}, caller("max"))).code,
            Code::not_found);
}

TEST_P(ListStandingTest, WhoeverWasAlsoSentAPostKeepsIt) {
  channel("builds", {.retain_hours = 1});
  Letter both = letter("channel:builds");
  both.to.emplace_back("max");
  const auto id = send("nux", both).message.id;
  clock().advance(hours(2));
  EXPECT_EQ(must(room().read(id, Mailroom::Ack::no, caller("max"))).message.id, id);
  must(room().read(id, Mailroom::Ack::no, caller("nux")));
}

TEST_P(ListStandingTest, TheThreadOfAPrunedPostIsToldLikeThePostItself) {
  channel("builds", {.retain_count = 1});
  const auto old = publish("builds", "first");
  publish("builds", "second");
  EXPECT_TRUE(has(error_of(room().thread(old.id.str(), caller("max"))).message, "was pruned from its channel"));
}

// ---- threads ----

TEST_P(ListStandingTest, WhoeverMayReadWorkOrAPostMaySeeItsThread) {
  queue({.name = "jobs", .claimers = "slit"});
  channel("builds");
  const auto work = send("nux", "queue:jobs", "work").message;
  const auto post = publish("builds", "post");
  EXPECT_EQ(must(room().thread(work.id.str(), caller("slit"))).mails.size(), 1u);
  EXPECT_EQ(must(room().thread(post.id.str(), caller("max"))).mails.size(), 1u);
  EXPECT_EQ(error_of(room().thread(work.id.str(), caller("max"))).code, Code::forbidden);
  reply("slit", work.id);
  reply("max", post.id);
  EXPECT_EQ(must(room().thread(work.id.str(), caller("slit"))).mails.size(), 2u);
  EXPECT_EQ(must(room().thread(post.id.str(), caller("slit"))).mails.size(), 1u)
      << "what others wrote about it is theirs";
}

// ---- what nobody would owe ----

TEST_P(ListStandingTest, AReplyIsOwedByThoseWhoAreNamed) {
  simple_queue("jobs");
  channel("builds");
  for (const auto* to : {"queue:jobs", "channel:builds"}) {
    Letter wanted = letter(to);
    wanted.reply_by = hours(1);
    const auto error = error_of(office().send(wanted, caller("nux")));
    EXPECT_EQ(error.code, Code::usage) << to;
    EXPECT_EQ(error.argument, "reply_by") << to;
    wanted.cc = {"max"};
    EXPECT_EQ(error_of(office().send(wanted, caller("nux"))).code, Code::usage) << "whoever has a copy owes nothing";
    wanted.to.emplace_back("slit");
    must(office().send(wanted, caller("nux")));
  }
  EXPECT_EQ(must(room().owed(caller("slit"), Parts::headers)).by_me.size(), 2u);
}

// ---- names ----

TEST_P(ListStandingTest, ListsAreFoundByTheIdsThatAreToldOfThem) {
  queue({.name = "jobs", .rig = "beads"});
  simple_queue("other");
  channel("builds");
  group("team", {"max"});
  EXPECT_EQ(must(queues().show("be-q-jobs")).queue.name, "jobs");
  EXPECT_EQ(must(queues().show("hq-q-other")).queue.name, "other");
  EXPECT_EQ(error_of(queues().show("hq-q-jobs")).code, Code::not_found) << "it is the rig's";
  EXPECT_EQ(must(channels().show("hq-channel-builds")).channel.name, "builds");
  EXPECT_EQ(must(groups().show("hq-group-team")).group.name, "team");
  simple_queue("hq-q-other");
  EXPECT_EQ(must(queues().show("hq-q-other")).queue.name, "hq-q-other") << "a name goes before an id";
  put("other");
  EXPECT_EQ(claimed_id("nux", "be-q-jobs"), std::nullopt);
}

TEST_P(ListStandingTest, TheDirectoryHasOnlyWhatTakesMail) {
  simple_queue("open");
  simple_queue("shut");
  channel("builds");
  channel("over");
  group("team", {"max"});
  group("empty");
  group("later", {"@nobody-yet"});
  must(queues().set_state("shut", QueueState::closed));
  must(channels().set_open("over", Channels::Open::no, caller("overseer")));
  Strings listed;
  for (const auto& entry : must(room().directory(caller("nux")))) {
    if (entry.type == "group" || entry.type == "queue" || entry.type == "channel") listed.push_back(entry.address);
    if (entry.address != "beads/polecats/nux") send("nux", entry.address);
  }
  EXPECT_EQ(listed, (Strings{"channel:builds", "group:team", "queue:open"}));
}

}  // namespace
}  // namespace townpost
