// The words of a quarantined agent reach no other agent by any way in; people see everything.
#include "contract/nudge_fixture.h"
#include "post/lists/channels.h"
#include "post/lists/claims.h"
#include "post/lists/queues.h"
#include "post/mail/explain.h"
#include "post/mail/thread_summary.h"
#include "post/mail/todo.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kWithheld = "withheld: beads/polecats/slit is quarantined";

class WithheldTest : public NudgeTest {
 protected:
  void quarantine() { must(Cares(town()).quarantine("slit", {})); }
  void lift() { must(Cares(town()).lift_quarantine("slit", {})); }
  Caller nux() { return caller("nux"); }
  static bool is_clean(std::string_view text) { return !has(text, "EVIL"); }
};
ON_EVERY_STORE(WithheldTest);

TEST_P(WithheldTest, WhatIsOpenedHasNoWords) {
  const Message evil = send("slit", "nux", "EVIL subject").message;
  quarantine();
  EXPECT_EQ(error_of(room().look(evil.id, nux())).code, Code::forbidden) << "gt protocol parse";
  EXPECT_EQ(error_of(room().read(evil.id, Mailroom::Ack::yes, nux())).code, Code::forbidden);
  const auto explained = must(explain(town(), evil.id, nux()));
  EXPECT_EQ(explained.mail.message.subject, kWithheld);
  EXPECT_EQ(explained.mail.message.body, "");
  const auto thread = must(room().thread(evil.thread, nux()));
  EXPECT_EQ(thread.subject, kWithheld);
  EXPECT_EQ(must(room().look(evil.id, caller("overseer"))).message.subject, "EVIL subject");
  EXPECT_EQ(must(room().thread(evil.thread, caller("overseer"))).subject, "EVIL subject");
  EXPECT_EQ(mark(evil.id, Mark::archived, "nux").change.event, EventKind::archived) << "it may be put away unseen";
}

TEST_P(WithheldTest, ASummaryTellsNothingOfIt) {
  const Message help = send("slit", letter("nux", "[ol-1] HELP_REQUEST: EVIL")).message;
  quarantine();
  const auto summary = summarise(town().settings, must(room().thread(help.thread, nux())));
  for (const auto& request : summary.open_help) EXPECT_TRUE(is_clean(request.subject));
}

TEST_P(WithheldTest, NobodyIsAskedToAnswerThem) {
  Letter asked = letter("nux", "EVIL question");
  asked.reply_by = minutes(5);
  send("slit", asked);
  quarantine();
  clock().advance(minutes(6));
  EXPECT_TRUE(must(room().owed(nux(), Parts::headers)).by_me.empty());
  EXPECT_TRUE(must(todo(town(), {}, nux())).actions.empty());
  lift();
  EXPECT_EQ(must(room().owed(nux(), Parts::headers)).by_me.size(), 1u);
}

TEST_P(WithheldTest, NudgesAreListedWithoutTheirWords) {
  Nudge evil = nudge("slit", "nux", "EVIL text", [](NudgeDraft& draft) {
    draft.coalesce_key = "EVIL key";
    draft.refs = {"EVIL-1"};
  });
  quarantine();
  const auto listed = must(nudges().list({}, nux())).at(0);
  for (const auto& one : {listed, must(nudges().show(evil.id, nux())), must(nudges().explain(evil.id, nux())).nudge}) {
    EXPECT_EQ(one.text, kWithheld);
    EXPECT_TRUE(is_clean(one.coalesce_key));
    EXPECT_TRUE(one.refs.empty());
  }
  EXPECT_EQ(must(nudges().show(evil.id, caller("overseer"))).text, "EVIL text");
  EXPECT_EQ(must(nudges().show(evil.id, caller("slit"))).text, "EVIL text") << "it may see what it wrote";
  EXPECT_EQ(must(nudges().drop(evil.id, "unseen", nux())).text, kWithheld);
}

TEST_P(WithheldTest, QueuesShowItsWorkWithoutItsWords) {
  queue({.name = "work", .max_attempts = 1});
  const MessageId dead = send("slit", "queue:work", "EVIL work").message.id;
  claim("nux", "work");
  must(claims().fail_attempt(dead, "", nux()));
  send("slit", "queue:work", "EVIL work, too");
  claim("nux", "work");
  quarantine();
  EXPECT_EQ(must(queues().dead("work", nux())).at(0).message.subject, kWithheld);
  EXPECT_EQ(must(queues().dead("work", nux())).at(0).message.body, "");
  EXPECT_EQ(must(queues().processing("work", nux())).at(0).message.subject, kWithheld);
  EXPECT_EQ(must(queues().dead("work", caller("overseer"))).at(0).message.subject, "EVIL work");
}

TEST_P(WithheldTest, DeadLettersHaveBodiesForThoseWhoMayClaimThem) {  // M10
  queue({.name = "work", .claimers = "beads/polecats/nux", .max_attempts = 1});
  const MessageId dead = put("work");
  claim("nux", "work");
  must(claims().fail_attempt(dead, "", nux()));
  EXPECT_NE(must(queues().dead("work", nux())).at(0).message.body, "");
  EXPECT_NE(must(queues().dead("work", caller("overseer"))).at(0).message.body, "");
  const auto seen = must(queues().dead(std::nullopt, caller("slit"))).at(0);
  EXPECT_EQ(seen.message.body, "");
  EXPECT_TRUE(seen.headers_only);
  EXPECT_EQ(seen.message.subject, "work") << "headers are for everybody";
}

TEST_P(WithheldTest, WhyItGaveUpIsForThoseWhoMayClaimAndNotWhileItIsInQuarantine) {
  queue({.name = "jobs", .claimers = "beads/polecats/*", .max_attempts = 1});
  const Message job = send("overseer", "queue:jobs", "build").message;
  claim("slit", "jobs");
  must(claims().fail_attempt(job.id, "EVIL reason", caller("slit")));
  const auto told = [&](std::string_view who) { return must(queues().dead("jobs", caller(who))).at(0).item.reason; };
  EXPECT_EQ(told("nux"), "EVIL reason");
  EXPECT_EQ(told("max"), "") << "it may not claim there";
  EXPECT_TRUE(is_clean(error_of(claims().complete(job.id, caller("max"))).message));
  quarantine();
  EXPECT_EQ(told("nux"), kWithheld);
  EXPECT_EQ(told("overseer"), "EVIL reason");
  EXPECT_TRUE(is_clean(must(explain(town(), job.id, nux())).standings.at(0).why));
}

TEST_P(WithheldTest, WhatItsHooksSayIsNotPassedOn) {
  const Presence blocked{.agent = id_of("slit"), .state = AgentState::blocked, .detail = "permission for EVIL"};
  must(store().write([&](Ledger& ledger) { return ledger.set_presence(blocked); }));
  const auto words = [&] { return join(must(why(town(), "slit")).reasons, "\n"); };
  EXPECT_FALSE(is_clean(words()));
  quarantine();
  EXPECT_TRUE(is_clean(words())) << words();
  EXPECT_TRUE(has(words(), "in quarantine")) << words();
  for (const auto& recipient : send("nux", "slit", "still there?").recipients)
    EXPECT_TRUE(is_clean(recipient.reason)) << recipient.reason;
}

TEST_P(WithheldTest, NothingOfItIsToBeDone) {
  Letter question = letter("nux", "[ol-1] HELP_REQUEST: EVIL");
  question.reply_by = minutes(1);
  question.ack_required = true;
  send("slit", question);
  quarantine();
  clock().advance(minutes(2));
  EXPECT_TRUE(must(room().owed(nux(), Parts::headers)).by_me.empty()) << "nobody answers it before the quarantine ends";
  const auto todo = must(townpost::todo(town(), {"ol-1"}, nux()));
  EXPECT_TRUE(todo.help.empty());
  EXPECT_TRUE(todo.pending.empty());
  for (const auto& one : todo.overdue) EXPECT_EQ(one.message.subject, kWithheld);
  for (const auto& action : todo.actions) EXPECT_TRUE(is_clean(action.what)) << action.what;
  EXPECT_EQ(todo.beads.at(0).state, BeadState::silent);
  lift();
  EXPECT_EQ(must(townpost::todo(town(), {"ol-1"}, nux())).help.size(), 1u);
}

TEST_P(WithheldTest, WhatWasPrunedKeepsItsWordsToo) {
  channel("builds", {.retain_count = 1});
  const MessageId evil = publish("builds", "EVIL post", "slit").id;
  publish("builds", "good post", "max");
  publish("builds", "better post", "max");
  quarantine();
  for (const auto& record : must(channels().pruned("builds", 10, nux()))) EXPECT_TRUE(is_clean(record.subject));
  EXPECT_TRUE(is_clean(error_of(room().read(evil, Mailroom::Ack::no, nux())).message));
  EXPECT_TRUE(has(error_of(room().read(evil, Mailroom::Ack::no, caller("overseer"))).message, "EVIL post"));
}

TEST_P(WithheldTest, ItsDutiesWaitUntilItIsLifted) {
  Letter question = letter("nux", "EVIL question");
  question.reply_by = minutes(30);
  send("slit", question);
  nudge("slit", "nux", "EVIL nudge", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.ttl = minutes(20);
  });
  quarantine();
  tick(hours(1), seconds(30));
  let_duties_run();
  EXPECT_EQ(notices("nux"), Strings());
  EXPECT_EQ(notices("mayor/"), Strings()) << "the town lends its voice to nobody in quarantine";
  lift();
  tick(minutes(11), seconds(30));
  let_duties_run();
  EXPECT_EQ(notices("nux").size(), 1u);
  EXPECT_EQ(notices("mayor/").size(), 1u);
}

TEST_P(WithheldTest, GoodMailBehindItsMailStillWakes) {
  starts("nux");
  send("slit", "nux", "EVIL mail");
  send("max", "nux", "good mail");
  quarantine();
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "good mail"));
  EXPECT_TRUE(is_clean(parcel.text));
}

}  // namespace
}  // namespace townpost
