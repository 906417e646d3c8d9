// How nudges come into the line: who gets them, what is refused, what is replaced, who may decide over them.
#include "base/advice.h"
#include "contract/nudge_fixture.h"
#include "store/sql_store.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

using NudgesTest = NudgeTest;
ON_EVERY_STORE(NudgesTest);

TEST_P(NudgesTest, ANudgeSaysWhoSentItWhenAndWhatFor) {
  const auto receipts = must(nudges().send(
      {
          .to = {"nux"},
          .text = "look at the build",
          .mode = NudgeMode::soon,
          .urgent = true,
          .ttl = minutes(7),
          .delay = seconds(5),
          .coalesce_key = "builds",
          .forced = true,
          .thread = "thread-1",
          .refs = {"be-7"},
          .bead = "be-7",
      },
      {caller("max").address, Grade::pane}));
  ASSERT_EQ(receipts.size(), 1u);
  EXPECT_EQ(receipts[0].target.address.str(), "beads/polecats/nux");
  EXPECT_FALSE(receipts[0].duplicate);
  const Nudge found = now(receipts[0].nudge);
  EXPECT_EQ(found, receipts[0].nudge);
  EXPECT_EQ(found.target, id_of("nux"));
  EXPECT_EQ(found.sender, id_of("max"));
  EXPECT_EQ(found.from, "beads/crew/max");
  EXPECT_EQ(found.grade, Grade::pane);
  EXPECT_EQ(found.source, NudgeSource::agent);
  EXPECT_EQ(found.kind, NudgeKind::text);
  EXPECT_EQ(found.mode, NudgeMode::soon);
  EXPECT_TRUE(found.urgent && found.forced && !found.ephemeral);
  EXPECT_EQ(found.text, "look at the build");
  EXPECT_EQ(found.coalesce_key, "builds");
  EXPECT_EQ(found.thread, "thread-1");
  EXPECT_EQ(found.refs, Strings{"be-7"});
  EXPECT_EQ(found.bead, "be-7");
  EXPECT_EQ(found.hops, 1);
  EXPECT_EQ(found.created_at, clock().now());
  EXPECT_EQ(found.deliver_after, clock().now() + seconds(5));
  EXPECT_EQ(found.expires_at, awake() + seconds(5) + minutes(7));
  EXPECT_EQ(found.escalate_at, awake() + seconds(5) + minutes(10));
  EXPECT_EQ(found.state, NudgeState::queued);
  EXPECT_EQ(history(found), Strings{"queued"});
}

TEST_P(NudgesTest, TheLifeOfANudgeIsThatOfItsMode) {
  auto life = [&](NudgeMode mode) { return nudge("max", "nux", "", with_mode(mode)).expires_at.value() - awake(); };
  EXPECT_EQ(life(NudgeMode::wait_idle), hours(24));
  EXPECT_EQ(life(NudgeMode::soon), hours(24));
  EXPECT_EQ(life(NudgeMode::queue), minutes(30));
  EXPECT_EQ(life(NudgeMode::immediate), minutes(10));
}

TEST_P(NudgesTest, TheModeIsThatOfTheTargetsRoleUnlessOneIsNamed) {
  EXPECT_EQ(nudge("max", "nux").mode, NudgeMode::wait_idle);
  town().settings.roles["polecat"].default_mode = NudgeMode::immediate;
  EXPECT_EQ(nudge("max", "nux").mode, NudgeMode::immediate);
  EXPECT_EQ(nudge("max", "mayor/").mode, NudgeMode::wait_idle) << "another role";
  EXPECT_EQ(nudge("max", "nux", "", with_mode(NudgeMode::queue)).mode, NudgeMode::queue);
}

TEST_P(NudgesTest, TheSourceIsTheRoleOfTheSender) {
  EXPECT_EQ(nudge("beads/witness", "nux").source, NudgeSource::witness);
  EXPECT_EQ(nudge("overseer", "nux").source, NudgeSource::user);
  EXPECT_EQ(nudge("nux", "max").source, NudgeSource::agent);
}

TEST_P(NudgesTest, ItRingsTheBellOfItsTarget) {
  const auto before = bell().rings(id_of("nux"));
  const auto others = bell().rings(id_of("slit"));
  nudge("max", "nux");
  EXPECT_GT(bell().rings(id_of("nux")), before);
  EXPECT_EQ(bell().rings(id_of("slit")), others);
}

TEST_P(NudgesTest, TextThatCannotBeShownIsRefused) {
  EXPECT_EQ(nudge_refusal("max", {.to = {"nux"}, .text = ""}).message, "message required");
  EXPECT_EQ(nudge_refusal("max", {.to = {"nux"}, .text = " \n\t"}).message, "message required");
  EXPECT_EQ(nudge_refusal("max", {.to = {}, .text = "hello"}).code, Code::usage);
  EXPECT_EQ(nudge_refusal("max", draft("nux", std::string("a\0b", 3))).code, Code::usage);
  EXPECT_EQ(nudge_refusal("max", draft("nux", "\xff")).code, Code::usage);
  EXPECT_EQ(nudge_refusal("max", draft("nux", std::string(kNudgeBytes + 1, 'x'))).code, Code::usage);
  NudgeDraft without_life = draft("nux");
  without_life.ttl = Millis(0);
  EXPECT_EQ(nudge_refusal("max", without_life).code, Code::usage);
  EXPECT_TRUE(line("nux").empty());
  EXPECT_EQ(nudge("max", "nux", std::string(kNudgeBytes, 'x')).text.size(), kNudgeBytes);
}

TEST_P(NudgesTest, TargetsAreEverybodyANameStandsForEachOnce) {  // G225
  register_agent("alpha/polecats/ace");
  group("backend", {"max", "slit"});
  channel("news");
  subscribe("max", "news");
  subscribe("slit", "news");
  must(channels().subscribe("news", "group:backend", Channels::Wake::no, caller("overseer")));
  struct Case {
    Strings to;
    Strings reached;
  };
  for (const auto& [to, reached] :
       {Case{{"beads/polecats/*"}, {"beads/polecats/nux", "beads/polecats/slit"}},
        Case{{"@polecats"}, {"alpha/polecats/ace", "beads/polecats/nux", "beads/polecats/slit"}},
        Case{{"group:backend"}, {"beads/crew/max", "beads/polecats/slit"}},
        Case{{"channel:news"}, {"beads/crew/max", "beads/polecats/slit"}},
        Case{{"max", "beads/crew/max", "group:backend", "channel:news"}, {"beads/crew/max", "beads/polecats/slit"}}}) {
    NudgeDraft wanted = draft("");
    wanted.to = to;
    Strings found;
    for (const auto& receipt : must(nudges().send(wanted, caller("overseer"))))
      found.push_back(receipt.target.address.str());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, reached) << join(to, ", ");
  }
}

TEST_P(NudgesTest, SomebodyWhoNudgesAListDoesNotNudgeItself) {
  group("backend", {"max", "slit"});
  channel("news");
  subscribe("max", "news");
  subscribe("slit", "news");
  for (const auto* to : {"group:backend", "channel:news"}) {
    const auto receipts = must(nudges().send(draft(to), caller("max")));
    ASSERT_EQ(receipts.size(), 1u) << to;
    EXPECT_EQ(receipts[0].target.address.str(), "beads/polecats/slit");
  }
  EXPECT_EQ(nudge("max", "max").target, id_of("max")) << "but it may by name";
}

TEST_P(NudgesTest, NobodyListensAtAQueueOrUnderAnUnknownName) {
  simple_queue("dispatch");
  EXPECT_EQ(nudge_refusal("max", draft("queue:dispatch")).code, Code::usage);
  EXPECT_EQ(nudge_refusal("max", draft("beads/polecats/nobody")).code, Code::not_found);
  channel("empty");
  EXPECT_EQ(nudge_refusal("max", draft("channel:empty")).code, Code::not_found);
  group("only-me", {"max"});
  EXPECT_EQ(nudge_refusal("max", draft("group:only-me")).code, Code::not_found);
}

TEST_P(NudgesTest, TheFiftyFirstIsRefusedAndTheOthersStay) {  // K040
  for (int i = 1; i <= 50; ++i) nudge("max", "nux", cat("number ", i));
  const Error error = nudge_refusal("max", draft("nux"));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_TRUE(has(error.message, "50 nudges of beads/crew/max wait for beads/polecats/nux already")) << error.message;
  EXPECT_NE(advice(error), "");
  EXPECT_EQ(line("nux").size(), 50u);
  EXPECT_EQ(line("nux").front().text, "number 1") << "the oldest is kept";
  nudge("max", "slit");
  show("nux", Boundary::prompt);
  nudge("max", "nux", "now there is room");
}

TEST_P(NudgesTest, HowManyMayWaitIsASetting) {
  town().settings.nudge_depth = 2;
  nudge("max", "nux");
  nudge("max", "nux");
  EXPECT_EQ(nudge_refusal("max", draft("nux")).code, Code::refused);
  EXPECT_EQ(nudge_refusal("max", draft("@polecats")).code, Code::refused);
  EXPECT_TRUE(line("slit").empty()) << "all targets or none";
  nudge("slit", "nux", "another's line is not full");
  nudge("overseer", "nux", "STOP", urgently);
  nudge("overseer", "nux");
  nudge("overseer", "nux", "people are never refused for it");
  town().settings.nudge_depth = 0;
  nudge("max", "nux", "no limit");
}

TEST_P(NudgesTest, ANewerOneOfTheSameKeyTakesThePlaceOfTheOlder) {
  auto of_builds = [](NudgeDraft& draft) { draft.coalesce_key = "builds"; };
  const Nudge older = nudge("max", "nux", "one build failed", of_builds);
  const Nudge between = nudge("max", "nux", "something else");
  const Nudge elsewhere = nudge("max", "slit", "one build failed", of_builds);
  const Nudge newer = nudge("max", "nux", "two builds failed", of_builds);
  EXPECT_EQ(line_texts("nux"), (Strings{"two builds failed", "something else"})) << "in the older one's place";
  EXPECT_EQ(state(older), NudgeState::superseded);
  EXPECT_TRUE(has(now(older).last_error, newer.id.str())) << now(older).last_error;
  EXPECT_EQ(history(older), (Strings{"queued", "superseded"}));
  EXPECT_EQ(state(between), NudgeState::queued);
  EXPECT_EQ(state(elsewhere), NudgeState::queued) << "of another target";
  EXPECT_TRUE(notices("max").empty()) << "what is replaced is no loss";
}

TEST_P(NudgesTest, ReplacingWorksInAFullLine) {
  town().settings.nudge_depth = 1;
  auto of_builds = [](NudgeDraft& draft) { draft.coalesce_key = "builds"; };
  nudge("max", "nux", "one", of_builds);
  nudge("max", "nux", "two", of_builds);
  EXPECT_EQ(line_texts("nux"), Strings{"two"});
}

TEST_P(NudgesTest, WhatIsOnItsWayIsNotReplaced) {
  auto of_builds = [](NudgeDraft& draft) { draft.coalesce_key = "builds"; };
  const Nudge leased = nudge("max", "nux", "one", of_builds);
  const Parcel parcel = take("nux", Boundary::prompt);
  nudge("max", "nux", "two", of_builds);
  EXPECT_EQ(state(leased), NudgeState::leased);
  must(nudges().handed(parcel, "a hook"));
  nudge("max", "nux", "three", of_builds);
  EXPECT_EQ(state(leased), NudgeState::handed);
  EXPECT_EQ(line_texts("nux"), (Strings{"one", "three"}));
}

TEST_P(NudgesTest, TheSameTextOfTheSameAgentWaitsOnce) {  // L5
  const Nudge first = nudge("max", "nux", "are you there?");
  const auto again = must(nudges().send(draft("nux", "are you there?"), caller("max"))).at(0);
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.nudge.id, first.id);
  EXPECT_TRUE(has(again.note, "L5")) << again.note;
  EXPECT_EQ(line("nux").size(), 1u);
  nudge("slit", "nux", "are you there?");
  nudge("max", "slit", "are you there?");
  EXPECT_EQ(line("nux").size(), 2u) << "another sender's is no duplicate";
  EXPECT_EQ(line("slit").size(), 1u) << "nor is one to somebody else";
}

TEST_P(NudgesTest, APersonMayRepeatItself) {
  nudge("overseer", "nux", "are you there?");
  EXPECT_FALSE(must(nudges().send(draft("nux", "are you there?"), caller("overseer"))).at(0).duplicate);
  EXPECT_EQ(line("nux").size(), 2u);
}

TEST_P(NudgesTest, ADuplicateThatIsMoreUrgentIsNotLost) {
  nudge("max", "nux", "stop");
  nudge("max", "nux", "stop", [](NudgeDraft& draft) {
    draft.urgent = true;
    draft.mode = NudgeMode::immediate;
  });
  const auto waiting = line("nux");
  EXPECT_TRUE(std::any_of(waiting.begin(), waiting.end(), [](const Nudge& one) {
    return one.urgent && one.mode == NudgeMode::immediate;
  })) << "an urgent one was asked for, and what waits is the ordinary one";
}

TEST_P(NudgesTest, IfFreshSaysNothingForAnOldSession) {
  starts("max");
  NudgeDraft fresh = draft("nux");
  fresh.if_fresh = seconds(60);
  EXPECT_EQ(must(nudges().send(fresh, caller("max"))).size(), 1u);
  clock().advance(seconds(61));
  fresh.text = "later";
  EXPECT_TRUE(must(nudges().send(fresh, caller("max"))).empty());
  EXPECT_EQ(line("nux").size(), 1u);
  PresenceFiles(town().folder)
      .write({.agent = id_of("max"), .state = AgentState::running, .started_at = clock().now()});
  EXPECT_EQ(must(nudges().send(fresh, caller("max"))).size(), 1u) << "the file knows it first";
}

TEST_P(NudgesTest, OnlyItsSenderItsTargetAndPeopleDropANudge) {  // K032
  const Nudge first = nudge("max", "nux");
  const Error error = error_of(nudges().drop(first.id, "no reason", caller("slit")));
  EXPECT_EQ(error.code, Code::forbidden);
  EXPECT_EQ(error_of(nudges().drop(first.id, "no reason", caller("alpha/polecats/stranger"))).code, Code::forbidden);
  EXPECT_EQ(state(first), NudgeState::queued);
  EXPECT_EQ(must(nudges().drop(first.id, "it is done", caller("max"))).state, NudgeState::dropped);
  EXPECT_TRUE(has(now(first).last_error, "it is done")) << now(first).last_error;
  EXPECT_EQ(history(first), (Strings{"queued", "dropped"}));
  EXPECT_EQ(must(nudges().drop(nudge("max", "nux").id, "read it", caller("nux"))).state, NudgeState::dropped);
  EXPECT_EQ(must(nudges().drop(nudge("max", "nux").id, "no", caller("overseer"))).state, NudgeState::dropped);
  EXPECT_TRUE(line("nux").empty());
  EXPECT_TRUE(show("nux", Boundary::prompt).empty());
}

TEST_P(NudgesTest, WhatHasEndedCannotBeDroppedAgain) {
  const Nudge one = nudge("max", "nux");
  show("nux", Boundary::prompt);
  EXPECT_EQ(error_of(nudges().drop(one.id, "late", caller("max"))).code, Code::refused);
  EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_EQ(error_of(nudges().drop({4711}, "what?", caller("max"))).code, Code::not_found);
}

TEST_P(NudgesTest, OnlyItsSenderItsTargetAndPeopleTryANudgeAgain) {  // K032
  limits().enabled = false;
  const Nudge one = nudge("max", "nux");
  must(nudges().give_back(take("nux", Boundary::prompt), "failed", Nudges::Tried::yes));
  EXPECT_EQ(error_of(nudges().retry(one.id, caller("slit"))).code, Code::forbidden);
  EXPECT_TRUE(take("nux", Boundary::prompt).empty()) << "it is not due yet";
  must(nudges().retry(one.id, caller("max")));
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{one.text}) << "at once";
  EXPECT_EQ(error_of(nudges().retry(one.id, caller("max"))).code, Code::refused) << "delivered is delivered";
}

TEST_P(NudgesTest, ListIsByAgentAndState) {
  const Nudge first = nudge("max", "nux", "first");
  const Nudge second = nudge("max", "slit", "second");
  must(nudges().drop(first.id, "no", caller("max")));
  const auto dropped = must(nudges().list({.state = NudgeState::dropped}));
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_EQ(dropped[0].id, first.id);
  const auto of_slit = must(nudges().list({.target = id_of("slit")}));
  ASSERT_EQ(of_slit.size(), 1u);
  EXPECT_EQ(of_slit[0].id, second.id);
  EXPECT_EQ(error_of(nudges().show({4711})).code, Code::not_found);
}

TEST_P(NudgesTest, ExplainNamesWhatIsInTheWay) {
  const Nudge front = nudge("max", "nux", "front");
  const Nudge one = nudge("max", "nux", "one", [](NudgeDraft& draft) { draft.delay = minutes(1); });
  auto in_the_way = [&] { return join(must(nudges().explain(one.id)).in_the_way, "; "); };
  EXPECT_TRUE(has(in_the_way(), "it is not running")) << in_the_way();
  EXPECT_TRUE(has(in_the_way(), "after " + rfc3339(one.deliver_after))) << in_the_way();
  EXPECT_TRUE(has(in_the_way(), front.id.str() + " is before it")) << in_the_way();
  set_care("nux", [&](Care& care) { care.dnd_until = clock().now() + hours(1); });
  EXPECT_TRUE(has(in_the_way(), "`dnd.status`")) << in_the_way();
  set_care("nux", [&](Care& care) { care.hold_until = kForever; });
  EXPECT_TRUE(has(in_the_way(), "`release ")) << in_the_way();
  set_care("max", [&](Care& care) { care.quarantined_at = clock().now(); });
  EXPECT_TRUE(has(in_the_way(), "quarantined")) << in_the_way();
  PresenceFiles(town().folder).write({.agent = id_of("nux"), .state = AgentState::blocked, .detail = "permission"});
  EXPECT_TRUE(has(in_the_way(), "blocked and waits for a person: permission")) << in_the_way();
  PresenceFiles(town().folder).write({.agent = id_of("nux"), .state = AgentState::stalled, .detail = "overloaded"});
  EXPECT_TRUE(has(in_the_way(), "its model does not answer: overloaded")) << in_the_way();
  must(nudges().drop(one.id, "no", caller("max")));
  EXPECT_EQ(in_the_way(), "");
}

TEST_P(NudgesTest, WaitForWhoeverComesAfterARestart) {  // K022
  const Nudge one = nudge("max", "nux");
  SqlStore reopened(connect(), &bell());
  Town after{town().folder, Settings(), reopened, bell(), machine(), clock(), town().random};
  const Parcel parcel = must(Nudges(after).take(id_of("nux"), "session 1", Boundary::prompt));
  EXPECT_EQ(texts(parcel), Strings{one.text});
}

TEST_P(NudgesTest, AreForgottenAWeekAfterTheirEnd) {
  const Nudge ended = nudge("max", "nux");
  must(nudges().drop(ended.id, "done", caller("max")));
  sleep(hours(7 * 24));
  must(nudges().tend());
  EXPECT_EQ(state(ended), NudgeState::dropped) << "a week long it can be explained";
  clock().advance(Millis(1));
  must(nudges().tend());
  EXPECT_EQ(error_of(nudges().show(ended.id)).code, Code::not_found);
}

}  // namespace
}  // namespace townpost
