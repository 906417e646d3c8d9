// One bad row never stops the town: what cannot be done is left, told, and everything else goes on.
#include "contract/nudge_fixture.h"
#include "post/nudge/cares.h"
#include "post/rules/duties.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class UndoneTest : public NudgeTest {
 protected:
  void remove(std::string_view who) { must(registry().remove_agent(who)); }
  void add_duty(DutyKind kind, MessageId message) {
    writing(store(), [&](Ledger& ledger) {
      must(ledger.add_duty({.due_at = clock().now(), .kind = kind, .message = message}));
    });
  }
  std::vector<Duty> duties() {
    return reading(store(), [&](Ledger& ledger) { return must(ledger.duties(DutyOwner::town, 100)); });
  }
  Strings undone() { return must(Cares(town()).status()).undone; }
  Strings old_mail(std::string_view address) {  // of somebody who may be gone
    return reading(store(), [&](Ledger& ledger) {
      Strings out;
      const auto agent = must(ledger.find_agent(address)).value();
      for (const auto& mail : must(ledger.list({.mailbox = agent.id}))) out.push_back(mail.message.from);
      return out;
    });
  }
  bool is_registered(std::string_view address) {
    return reading(store(),
                   [&](Ledger& ledger) { return !must(ledger.find_agent(address)).value().removed_at.has_value(); });
  }
};
ON_EVERY_STORE(UndoneTest);

TEST_P(UndoneTest, AReminderForSomebodyWhoseNameAGroupHasNowStopsNobody) {
  register_agent("zz");
  Letter question = letter("zz", "Which way?");
  question.reply_by = seconds(1);
  send("max", question);
  remove("zz");
  group("zz", {"nux"}, "max");
  clock().advance(seconds(2));
  send("overseer", "nux", "everybody writes on");
  nudge("overseer", "nux");
  must(Cares(town()).hold(std::nullopt, hours(1), {}));
  let_duties_run();
  EXPECT_EQ(old_mail("zz"), (Strings{"townpost", "beads/crew/max"})) << "it has its reminder where its mail is";
  EXPECT_FALSE(is_registered("zz")) << "a notice registers nobody";
}

TEST_P(UndoneTest, ABounceForSomebodyWhoseNameAChannelHasNowStopsNobody) {
  register_agent("zz");
  nudge("zz", "nux", "hi", with_life(seconds(1)));
  remove("zz");
  channel("zz", {}, "max");
  tick(seconds(3));
  send("overseer", "nux");
  EXPECT_EQ(old_mail("zz"), Strings{"townpost"});
  EXPECT_FALSE(is_registered("zz"));
}

TEST_P(UndoneTest, AnEscalationToANameThatNobodyCanHaveGoesToTheHuman) {
  town().settings.escalation = must(Address::parse("boss"));
  group("boss", {"nux"});
  Letter question = letter("nux", "Which way?");
  question.reply_by = seconds(1);
  send("max", question);
  clock().advance(seconds(2));
  let_duties_run();
  EXPECT_EQ(notices("overseer").size(), 1u);
}

TEST_P(UndoneTest, ADutyThatTheStoreCannotDoIsPutOffAndToldOnce) {
  const MessageId id = send("max", "nux").message.id;
  writing(store(), [&](Ledger& ledger) {  // a channel that prunes what was pruned before: its record is there already
    const auto made = must(ledger.add_channel({.name = "builds", .retain_for = hours(1), .created_at = clock().now()}));
    const auto message = must(ledger.message(id)).value();
    must(ledger.add_post(made, message, ""));
    must(ledger.prune_post({.message = id, .channel = made, .reason = "made by the test"}));
    must(ledger.add_post(made, message, ""));
    must(ledger.add_duty(
        {.due_at = clock().now(), .kind = DutyKind::prune_channel, .detail = std::to_string(made.key)}));
  });
  send("max", "slit");
  clock().advance(hours(2));
  for (int i = 0; i < 5; ++i) send("overseer", "nux", "the town goes on");
  EXPECT_EQ(duties().size(), 1u) << "it may be done once the store is sound";
  ASSERT_EQ(undone().size(), 1u);
  EXPECT_TRUE(has(undone().at(0), "prune-channel was put off")) << undone().at(0);
}

TEST_P(UndoneTest, WhatFailsAgainAndAgainIsGivenUpAndTheLogTells) {
  writing(store(),
          [&](Ledger& ledger) { must(ledger.add_duty({.due_at = clock().now(), .kind = DutyKind::prune_channel})); });
  const Error trouble{Code::unavailable, "the disk is full", "", std::nullopt};
  Instant last = clock().now();
  Millis pause{0};
  int attempts = 0;
  while (!duties().empty() && attempts < 100) {
    writing(store(), [&](Ledger& ledger) {
      const auto taken = must(ledger.lease_duties(DutyOwner::town, clock().now(), clock().now() + minutes(1), 1));
      if (taken.empty()) return;
      EXPECT_EQ(taken[0].attempts, ++attempts);
      EXPECT_GE(clock().now() - last, pause) << "each time it waits longer, or as long";
      pause = clock().now() - last;
      last = clock().now();
      must(duty_failed(ledger, taken[0], trouble, clock().now()));
    });
    clock().advance(minutes(5));
  }
  EXPECT_GT(attempts, 5);
  EXPECT_LT(attempts, 100) << "it is not tried for ever";
  ASSERT_FALSE(undone().empty());
  EXPECT_TRUE(has(undone().at(0), cat("prune-channel was given up after ", attempts, " attempts: the disk is full")))
      << undone().at(0);
}

TEST_P(UndoneTest, AgentsOfThatDayAreRemindedNevertheless) {
  const MessageId gone = send("max", "nux").message.id;
  add_duty(DutyKind::other, gone);  // of a later version
  Letter question = letter("nux", "Which way?");
  question.reply_by = minutes(30);
  send("max", question);
  clock().advance(minutes(16));
  let_duties_run();
  EXPECT_EQ(notices("nux").size(), 1u);
  ASSERT_EQ(duties().size(), 2u) << "whoever knows that kind will do it; the other one is the escalation";
}

}  // namespace
}  // namespace townpost
