// Ways around the rules that agents found: each holds against agents, none against people.
#include "contract/nudge_fixture.h"
#include "post/lists/channels.h"
#include "post/nudge/announce.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class WaysAroundTest : public NudgeTest {
 protected:
  WaysAroundTest() {
    for (const auto* who : {"nux", "slit", "max"}) starts(who);
  }
  void was_shown(std::string_view who, int hops) {
    Agent agent = agent_of(who);
    agent.shown_hops = hops;
    agent.shown_at = clock().now();
    writing(store(), [&](Ledger& ledger) { must(ledger.update_shown(agent)); });
  }
  int next_hops(std::string_view who) { return send(who, "slit").message.hops; }
  void read(std::string_view who, MessageId id, Mailroom::Ack ack = Mailroom::Ack::no) {
    must(room().read(id, ack, caller(who)));
  }
  void check(std::string_view who) {
    const auto announcement = must(announce(town(), caller(who), Compaction::no));
    must(announced(town(), caller(who), announcement));
  }
  void drain(const std::string& who) {
    const Parcel parcel = must(nudges().take(id_of(who), "drain", Boundary::asked));
    if (!parcel.empty()) must(nudges().delivered(parcel, "printed by gt nudge drain"));
  }
  static NudgeDraft with_key(NudgeDraft draft, const std::string& key) {
    draft.coalesce_key = key;
    return draft;
  }
};
ON_EVERY_STORE(WaysAroundTest);

// ---- L1 ----

TEST_P(WaysAroundTest, APersonsMailBeginsANewChainOnce) {
  const MessageId order = send("overseer", "nux", "go on").message.id;
  was_shown("nux", 7);
  read("nux", order);
  EXPECT_EQ(next_hops("nux"), 1) << "a person has spoken";
  was_shown("nux", 7);
  read("nux", order);
  EXPECT_EQ(next_hops("nux"), 8) << "the same words again are none";
  read("nux", order, Mailroom::Ack::yes);
  EXPECT_EQ(next_hops("nux"), 8);
  mark(order, Mark::unread, "nux");
  read("nux", order, Mailroom::Ack::yes);
  EXPECT_EQ(next_hops("nux"), 8) << "nor are they made new";
}

TEST_P(WaysAroundTest, WhoAsksWhatWaitsBeginsNoNewChain) {
  was_shown("nux", 7);
  check("nux");
  EXPECT_EQ(next_hops("nux"), 8);
  send("max", "nux");
  check("nux");
  EXPECT_EQ(next_hops("nux"), 8) << "nor with news";
  nudge("max", "nux");
  drain("nux");
  EXPECT_EQ(next_hops("nux"), 8);
  drain("nux");
  EXPECT_EQ(next_hops("nux"), 8);
}

TEST_P(WaysAroundTest, TwoHooksAtOnePromptKeepTheDeeperOne) {
  was_shown("max", 6);
  nudge("max", "nux");  // seven deep
  drain("nux");
  check("nux");
  EXPECT_EQ(next_hops("nux"), 8);
}

TEST_P(WaysAroundTest, APersonsPostBeginsANewChainOnce) {
  channel("builds");
  subscribe("nux", "builds");
  publish("builds", "an order", "overseer");
  publish("builds", "an agent's", "max");
  was_shown("nux", 7);
  read_channel("nux", "builds");
  EXPECT_EQ(next_hops("nux"), 2);
  was_shown("nux", 7);
  read_channel("nux", "builds");
  EXPECT_EQ(next_hops("nux"), 8);
}

TEST_P(WaysAroundTest, APersonsWorkBeginsANewChainOnce) {
  simple_queue("work");
  const MessageId work = put("work");
  was_shown("nux", 7);
  claim("nux", "work");
  EXPECT_EQ(next_hops("nux"), 1);
  must(claims().release(work, caller("nux")));
  was_shown("nux", 7);
  claim("nux", "work");
  EXPECT_EQ(next_hops("nux"), 8);
}

TEST_P(WaysAroundTest, TheHarnesssOwnPromptBeginsANewChain) {
  was_shown("nux", 7);
  show("nux", Boundary::prompt);
  EXPECT_EQ(next_hops("nux"), 1);
}

// ---- L2 ----

TEST_P(WaysAroundTest, NobodyShortensTheWindowThatHoldsItsOwnNudge) {
  for (int i = 0; i < 10; ++i) nudge("max", "nux");
  const Nudge held = nudge("max", "nux", "the eleventh");
  ASSERT_EQ(held.held_by, "L2");
  must(nudges().retry(held.id, caller("max")));
  EXPECT_EQ(now(held).deliver_after, held.deliver_after);
  must(nudges().retry(held.id, caller("nux")));
  EXPECT_EQ(now(held).deliver_after, held.deliver_after);
  must(nudges().retry(held.id, caller("overseer")));
  EXPECT_EQ(now(held).deliver_after, clock().now());
  EXPECT_EQ(now(held).held_by, "");
}

TEST_P(WaysAroundTest, ADelayOfItsOwnMayBeShortened) {
  const Nudge later = nudge("max", "nux", "later", [](NudgeDraft& draft) { draft.delay = hours(1); });
  must(nudges().retry(later.id, caller("max")));
  EXPECT_EQ(now(later).deliver_after, clock().now());
}

// ---- L4, L6: what an agent causes ----

TEST_P(WaysAroundTest, ManyWhoOweAReplyAreOneEscalationAndFewReminders) {
  Letter question = letter("alpha/crew/c0", "Which way?");
  for (int i = 1; i < 60; ++i) question.to.push_back(cat("alpha/crew/c", i));
  question.unknown = Unknown::create;
  question.reply_by = minutes(10);
  send("max", question);
  clock().advance(minutes(11));
  let_duties_run();
  ASSERT_EQ(notices("mayor/").size(), 1u);
  EXPECT_TRUE(has(notices("mayor/")[0], "59 others")) << notices("mayor/")[0];
  std::size_t reminded = 0;
  for (int i = 0; i < 60; ++i) reminded += notices(cat("alpha/crew/c", i)).size();
  EXPECT_EQ(reminded, 20u);
}

TEST_P(WaysAroundTest, APersonsQuestionRemindsEverybody) {
  Letter question = letter("alpha/crew/c0", "Which way?");
  for (int i = 1; i < 30; ++i) question.to.push_back(cat("alpha/crew/c", i));
  question.unknown = Unknown::create;
  question.reply_by = minutes(10);
  send("overseer", question);
  clock().advance(minutes(6));
  let_duties_run();
  std::size_t reminded = 0;
  for (int i = 0; i < 30; ++i) reminded += notices(cat("alpha/crew/c", i)).size();
  EXPECT_EQ(reminded, 30u);
}

TEST_P(WaysAroundTest, ANoticeThatAnAgentCausedWakesAsTheAgentWould) {
  nudge("max", "nux");
  show("nux", Boundary::idle);  // agents woke it just now
  Letter question = letter("nux", "Which way?");
  question.reply_by = seconds(4);
  send("max", question);
  clock().advance(seconds(3));
  let_duties_run();
  ASSERT_EQ(notices("nux").size(), 1u);
  const Parcel held = take("nux", Boundary::idle);
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(held.held ? held.held->rule : "", "L4");
}

TEST_P(WaysAroundTest, NamesThatWereOnlyWrittenToAllowNoMoreWakes) {  // L6
  Letter many = letter("alpha/crew/c0");
  for (int i = 1; i < 200; ++i) many.to.push_back(cat("alpha/crew/c", i));
  many.unknown = Unknown::create;
  send("max", many);
  const AgentId slit = id_of("slit");
  writing(store(), [&](Ledger& ledger) {
    for (int i = 0; i < 60; ++i) must(ledger.add_wake({.agent = slit, .at = clock().now(), .by_agent = true}));
  });
  nudge("max", "nux");
  const Parcel held = take("nux", Boundary::idle);
  EXPECT_EQ(held.held ? held.held->rule : "", "L6");
}

// ---- depth and keys ----

TEST_P(WaysAroundTest, AFullLineStopsNoPersonAndNobodyElse) {
  limits().enabled = false;
  for (int i = 0; i < 50; ++i) nudge("max", "nux");
  EXPECT_EQ(nudge_refusal("max", draft("nux")).code, Code::refused);
  nudge("slit", "nux");
  const Nudge stop = nudge("overseer", "nux", "STOP", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.mode = NudgeMode::immediate;
  });
  EXPECT_EQ(shown("nux", Boundary::busy), Strings{stop.text});
}

TEST_P(WaysAroundTest, APersonsWordIsNotEndedByItsKeyWhileItIsCarried) {  // H9
  auto of_deploys = [](NudgeDraft& draft) { draft.coalesce_key = "deploy"; };
  const Nudge stop = nudge("overseer", "nux", "STOP deploying", of_deploys);
  must(nudges().handed(take("nux", Boundary::turn_end), "a hook"));
  nudge("max", "nux", "carry on", of_deploys);
  starts("nux", "session 2");
  EXPECT_EQ(state(stop), NudgeState::queued);
  EXPECT_EQ(shown("nux", Boundary::start), (Strings{"STOP deploying", "carry on"}));
}

TEST_P(WaysAroundTest, NorIsTheTownsAndAPersonsReplacesAnAgents) {
  auto of_gupp = [](NudgeDraft& draft) { draft.coalesce_key = "gupp"; };
  const Nudge warning = must(nudges().send(with_key(draft("nux", "go on"), "gupp"), {Address::system()})).at(0).nudge;
  must(nudges().give_back(take("nux", Boundary::idle), "not now", Nudges::Tried::no));
  const Nudge own = nudge("nux", "nux", "never mind", of_gupp);
  EXPECT_EQ(state(warning), NudgeState::queued);
  nudge("overseer", "nux", "stop", of_gupp);
  EXPECT_TRUE(state(warning) == NudgeState::superseded || state(own) == NudgeState::superseded);
}

// ---- M12 ----

TEST_P(WaysAroundTest, AClockThatWasAheadLocksNobodyOut) {
  const Instant today = clock().now();
  clock().advance(hours(24 * 365));
  for (int i = 0; i < 130; ++i) {
    Letter what = letter(cat("alpha/crew/c", i % 60));
    what.unknown = Unknown::create;
    (void)office().send(what, caller("max"));
    (void)nudges().send(draft("nux"), caller("max"));
  }
  was_shown("max", 16);
  clock().set(today);
  must(registry().release("max", caller("overseer")));
  const auto sent = office().send(letter("slit"), caller("max"));
  ASSERT_TRUE(sent.has_value()) << sent.error().message;
  EXPECT_NE(sent->recipients.at(0).state, ReachState::held);
  EXPECT_EQ(sent->message.hops, 1) << "what is to be shown in a year was not shown in this turn";
}

}  // namespace
}  // namespace townpost
