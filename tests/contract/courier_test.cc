#include "base/child.h"
#include "contract/delivery_fixture.h"
#include "post/town/presences.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Outcome = Injected::Outcome;

class CourierTest : public DeliveryTest {};
ON_EVERY_STORE(CourierTest);

TEST_P(CourierTest, CarriesToAnIdleAgentAtOnce) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "look at the build");
  EXPECT_TRUE(deliver("nux").carried);
  ASSERT_EQ(nux.injected.size(), 1U);
  EXPECT_NE(nux.injected[0].text.find("look at the build"), std::string::npos);
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, DoesNotDisturbABusyAgentUnlessItIsImmediate) {  // K010, K012
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  const auto patient = nudge("overseer", "nux", "when you have a moment");
  EXPECT_FALSE(deliver("nux").carried);
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(now(patient).attempts, 0) << "busy is no attempt";

  const auto now_please = nudge("overseer", "nux", "stop", with_mode(NudgeMode::immediate));
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(nux.ids(), Strings{now_please.id.str()});
  EXPECT_EQ(nux.injected[0].at, Injection::At::any);
  EXPECT_EQ(state(now_please), NudgeState::delivered);
  EXPECT_EQ(state(patient), NudgeState::queued);

  nux.look = {SessionState::idle, ""};
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(state(patient), NudgeState::delivered);
}

TEST_P(CourierTest, ShowsUrgentOnesFirstAndTheRestInOrder) {  // K015
  auto& nux = session("nux");
  const auto first = nudge("overseer", "nux", "first");
  const auto second = nudge("overseer", "nux", "second");
  const auto urgent = nudge("overseer", "nux", "urgent", urgently);
  deliver("nux");
  EXPECT_EQ(nux.ids(), (Strings{urgent.id.str(), first.id.str(), second.id.str()}));
  ASSERT_EQ(nux.injected.size(), 1U) << "one block";
  const auto& text = nux.injected[0].text;
  EXPECT_LT(text.find(urgent.id.str()), text.find(first.id.str()));
  EXPECT_LT(text.find(first.id.str()), text.find(second.id.str()));
}

TEST_P(CourierTest, NeverWakesAnIdleAgentForTheQueueMode) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "at your next boundary", with_mode(NudgeMode::queue));
  EXPECT_FALSE(deliver("nux").carried);
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(state(sent), NudgeState::queued);
}

TEST_P(CourierTest, TouchesNothingWhereAPersonIsInTheWay) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "hello", with_mode(NudgeMode::immediate));
  for (const auto in_the_way : {SessionState::blocked, SessionState::typing, SessionState::starting}) {
    nux.look = {in_the_way, "a permission dialog is open"};
    const auto report = deliver("nux");
    EXPECT_FALSE(report.carried);
    EXPECT_NE(report.note, "");
    EXPECT_TRUE(report.look_again_at.has_value()) << "nothing else would bring it there";
  }
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(now(sent).attempts, 0);
  EXPECT_EQ(state(sent), NudgeState::queued);
}

TEST_P(CourierTest, MayLookAheadWhileTheNudgeIsStored) {
  auto& nux = session("nux");
  Courier courier(town(), doors());
  courier.look_ahead(id_of("nux"));
  const auto sent = nudge("overseer", "nux", "look at the build");
  EXPECT_TRUE(must(courier.deliver(id_of("nux"))).carried);
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
  EXPECT_EQ(nux.looks, 1) << "the look that was begun counts";
  nudge("overseer", "nux", "once more");
  EXPECT_TRUE(must(courier.deliver(id_of("nux"))).carried);
  EXPECT_EQ(nux.looks, 2) << "but only once";
}

TEST_P(CourierTest, NeedNotDeliverWhereItLookedAhead) {
  auto& nux = session("nux");
  auto& slit = session("slit");
  Courier courier(town(), doors());
  courier.look_ahead(id_of("nux"));
  const auto sent = nudge("overseer", "slit", "look at the build");
  EXPECT_TRUE(must(courier.deliver(id_of("slit"))).carried);
  EXPECT_EQ(slit.ids(), Strings{sent.id.str()});
  EXPECT_EQ(nux.injected.size(), 0U);
}

TEST_P(CourierTest, LeavesAnAgentOnAnotherHostToThatHost) {
  auto& nux = session("nux");
  set_presence("nux", [](Presence& presence) {
    presence.state = AgentState::idle;
    presence.host = "another host";
  });
  const auto sent = nudge("overseer", "nux", "look at the build", [](NudgeDraft& draft) { draft.ephemeral = true; });
  const auto report = must(Courier(town(), doors(), "this host").deliver(id_of("nux")));
  EXPECT_FALSE(report.carried);
  EXPECT_EQ(report.note, "it is on host another host; `up` there carries it");
  EXPECT_EQ(state(sent), NudgeState::queued) << "it is not lost: somebody else will look there";
  EXPECT_EQ(nux.looks, 0);
  EXPECT_TRUE(must(Courier(town(), doors(), "another host").deliver(id_of("nux"))).carried);
}

TEST_P(CourierTest, BelievesTheStoreIfTheAgentHasMovedToAnotherHost) {
  auto& nux = session("nux");
  set_presence("nux", [&](Presence& presence) {
    presence.state = AgentState::idle;
    presence.host = "this host";
    presence.last_activity = clock().now();
  });
  clock().advance(minutes(1));
  const Presence moved{.agent = id_of("nux"), .host = "another host", .last_activity = clock().now()};
  must(town().store.write([&](Ledger& ledger) { return ledger.set_presence(moved); }));
  nudge("overseer", "nux", "look at the build");
  EXPECT_FALSE(must(Courier(town(), doors(), "this host").deliver(id_of("nux"))).carried);
  EXPECT_EQ(nux.looks, 0);
}

TEST_P(CourierTest, AsksASessionThatDoesNotAnswerNoMoreForAWhile) {
  auto& nux = session("nux");
  nux.look = {SessionState::silent, "no answer within 2 s"};
  const auto sent = nudge("overseer", "nux", "hello", with_mode(NudgeMode::immediate));
  const auto report = deliver("nux");
  EXPECT_FALSE(report.carried);
  EXPECT_EQ(report.note, "its session does not answer: no answer within 2 s");
  EXPECT_EQ(report.look_again_at, clock().now() + seconds(15));
  EXPECT_EQ(now(sent).attempts, 0);
  nux.look = {SessionState::idle, ""};
  EXPECT_TRUE(deliver("nux").carried);
}

TEST_P(CourierTest, NotesSinceWhenADraftIsInTheWay) {
  auto& nux = session("nux");
  nux.look = {SessionState::typing, "there is a draft in the input line"};
  nudge("overseer", "nux", "hello");
  const auto draft_since = [&] { return PresenceFiles(town().folder).read(id_of("nux"))->draft_since; };
  deliver("nux");
  const Instant began = clock().now();
  EXPECT_EQ(draft_since(), began);
  clock().advance(minutes(1));
  deliver("nux");
  EXPECT_EQ(draft_since(), began);
  nux.look = {SessionState::idle, ""};
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(draft_since(), Instant{});
}

TEST_P(CourierTest, TellsTheTownWhatItSaw) {
  auto& nux = session("nux");
  nudge("overseer", "nux", "hello");
  nux.look = {SessionState::blocked, "a permission dialog is open"};
  deliver("nux");
  EXPECT_EQ(state_of("nux"), AgentState::blocked);
  nux.look = {SessionState::busy, ""};
  deliver("nux");
  EXPECT_EQ(state_of("nux"), AgentState::running);
}

TEST_P(CourierTest, KeepsItForASessionThatIsGone) {
  auto& nux = session("nux");
  nux.look = {SessionState::gone, ""};
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_FALSE(deliver("nux").carried);
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_EQ(now(sent).attempts, 0);
  EXPECT_EQ(state_of("nux"), AgentState::exited);

  nux.look = {SessionState::idle, ""};
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, TriesAgainLaterWithTheSameIdAndGivesUpAfterEightAttempts) {  // J054
  auto& nux = session("nux");
  nux.takes = Outcome::failed;
  const auto sent = nudge("overseer", "nux", "hello");
  for (int attempt = 1; attempt <= 8; ++attempt) {
    deliver("nux");
    EXPECT_EQ(now(sent).attempts, attempt);
    EXPECT_EQ(state(sent), attempt < 8 ? NudgeState::queued : NudgeState::dead);
    deliver("nux");
    EXPECT_EQ(now(sent).attempts, attempt) << "not before its time";
    tick(seconds(61), seconds(30));
  }
  EXPECT_EQ(notices("overseer").size(), 1U) << "its sender is told";
}

TEST_P(CourierTest, KeepsTheOrderBehindOneThatFails) {
  auto& nux = session("nux");
  nux.takes = Outcome::failed;
  const auto first = nudge("overseer", "nux", "first");
  deliver("nux");
  nux.takes = Outcome::shown;
  const auto second = nudge("overseer", "nux", "second");
  deliver("nux");
  EXPECT_EQ(nux.ids(), Strings()) << "the failing head holds the others back";
  tick(seconds(2));
  deliver("nux");
  EXPECT_EQ(nux.ids(), (Strings{first.id.str(), second.id.str()}));
}

TEST_P(CourierTest, DoesNotRepeatWhatACarrierShowedBeforeItDied) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "hello");
  const auto parcel = must(nudges().take(id_of("nux"), "http:fake/nux", Boundary::idle));
  nux.seen = parcel.text;
  machine().running.clear();  // the carrier died before it could say so
  deliver("nux");
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, RepeatsWhatACarrierTookAndDidNotShow) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "hello");
  take("nux", Boundary::idle);
  EXPECT_FALSE(deliver("nux").carried) << "a living carrier's lease binds";
  machine().running.clear();
  deliver("nux");
  tick(seconds(2));
  machine().running = {machine().process};
  deliver("nux");
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, TakesOnlyWhatIsSeenThereForArrived) {
  auto& nux = session("nux");
  nux.takes = Outcome::handed;
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(state(sent), NudgeState::handed);
  nux.seen = nux.injected.at(0).text;
  deliver("nux");
  EXPECT_EQ(state(sent), NudgeState::delivered);
  EXPECT_EQ(nux.injected.size(), 1U);
}

TEST_P(CourierTest, RepeatsWhatASessionTookAndLost) {
  auto& nux = session("nux");
  nux.takes = Outcome::handed;
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  ASSERT_EQ(state(sent), NudgeState::handed);
  tick(minutes(2));  // its program was killed before it stored it; now it can be looked into, and shows nothing
  nux.takes = Outcome::shown;
  deliver("nux");
  EXPECT_NE(state(sent), NudgeState::delivered) << "it was never seen there";
  tick(seconds(2));
  deliver("nux");
  EXPECT_EQ(nux.ids(), (Strings{sent.id.str(), sent.id.str()}));
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, TakesTheNextWordOfASessionForProofWhereNobodyCanLook) {
  auto& nux = session("nux");
  nux.takes = Outcome::handed;
  nux.can_be_seen = false;
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  deliver("nux");
  EXPECT_EQ(state(sent), NudgeState::delivered);
  EXPECT_EQ(nux.injected.size(), 1U);
}

TEST_P(CourierTest, LosesAnEphemeralOneWithItsSessionAndLeavesNothing) {
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  const auto sent = nudge("overseer", "nux", "only if you are there", [](auto& draft) { draft.ephemeral = true; });
  deliver("nux");
  ASSERT_EQ(state(sent), NudgeState::queued);
  nux.look = {SessionState::gone, ""};
  deliver("nux");
  EXPECT_EQ(state(sent), NudgeState::lost);
  EXPECT_EQ(notices("overseer").size(), 0U) << "it leaves nothing behind";
}

TEST_P(CourierTest, LeavesAgentsWithHooksToTheseAndTypesATriggerOnlyIntoAnIdlePane) {
  auto& pane = doors().agents["tmux:%5"];
  const auto sent = nudge("overseer", "nux", "hello");
  set_presence("nux", [&](Presence& presence) {
    presence = {.agent = id_of("nux"),
                .state = AgentState::running,
                .incarnation = "s1",
                .harness = Harness::of_word("claude"),
                .session = "tmux:%5",
                .started_at = clock().now()};
  });
  EXPECT_FALSE(deliver("nux").carried) << "it works: its hooks take it at the next boundary";

  becomes("nux", AgentState::idle);
  const auto waiter = waiter_file(town().folder, id_of("nux"), "s1");
  must(make_folders(waiter.parent_path()));
  const std::string process = cat("5.77@", host_name());
  must(write_file_lightly(waiter, process));
  machine().running.insert(process);
  EXPECT_FALSE(deliver("nux").carried) << "a hook waits beside it";
  EXPECT_EQ(pane.injected.size(), 0U);

  // A name of another host, or of this one under another name, is nobody who waits here.
  must(write_file_lightly(waiter, "5.77@old-container"));
  machine().running.insert("5.77@old-container");
  clock().advance(seconds(5));  // a waiting hook would be there by now
  EXPECT_TRUE(deliver("nux").carried);
  ASSERT_EQ(pane.injected.size(), 1U);
  EXPECT_EQ(pane.injected[0].text, kTrigger) << "the hook supplies the rest";
  EXPECT_EQ(state(sent), NudgeState::queued);
  EXPECT_EQ(now(sent).attempts, 0);
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{"hello"});
}

TEST_P(CourierTest, LeavesASupervisedStreamToItsSupervisor) {
  session("nux");
  set_presence("nux", [&](Presence& presence) {
    presence = {.agent = id_of("nux"),
                .state = AgentState::waiting,
                .incarnation = "p1",
                .harness = Harness::of_word("stream"),
                .started_at = clock().now(),
                .supervised = true};
  });
  const auto sent = nudge("overseer", "nux", "hello");
  EXPECT_FALSE(deliver("nux").carried);
  EXPECT_EQ(session("nux").injected.size(), 0U);
  EXPECT_EQ(state(sent), NudgeState::queued);
}

TEST_P(CourierTest, DeliversToTheNewSessionOfAnAgentThatWasRestarted) {  // K035
  auto& old_one = session("nux");
  old_one.look = {SessionState::busy, ""};
  const auto first = nudge("overseer", "nux", "first");
  const auto second = nudge("overseer", "nux", "second");
  deliver("nux");
  must(registry().add_agent({.address = address_of("nux"), .session = "http:fake/new"}, {}));
  auto& new_one = doors().agents["http:fake/new"];
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_EQ(old_one.injected.size(), 0U);
  EXPECT_EQ(new_one.ids(), (Strings{first.id.str(), second.id.str()}));
  EXPECT_EQ(state(first), NudgeState::delivered);
}

TEST_P(CourierTest, RepeatsInTheNewSessionWhatTheOldOneTookAndNeverShowed) {
  auto& old_one = session("nux");
  old_one.takes = Outcome::handed;
  old_one.can_be_seen = false;
  const auto sent = nudge("overseer", "nux", "hello");
  deliver("nux");
  ASSERT_EQ(state(sent), NudgeState::handed);
  must(registry().add_agent({.address = address_of("nux"), .session = "http:fake/new"}, {}));
  auto& new_one = doors().agents["http:fake/new"];
  deliver("nux");
  tick(seconds(2));
  deliver("nux");
  EXPECT_EQ(new_one.ids(), Strings{sent.id.str()});
  EXPECT_EQ(state(sent), NudgeState::delivered);
}

TEST_P(CourierTest, CarriesOncePerNudgeHoweverManyCarriersTry) {
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "hello");
  nux.before_injection = [&] {
    nux.before_injection = {};
    deliver("nux");  // a second carrier, while the first is on its way
  };
  deliver("nux");
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
}

TEST_P(CourierTest, GoesAgainForWhatCameWhileItCarried) {
  auto& nux = session("nux");
  nudge("overseer", "nux", "hello");
  nux.before_injection = [&] {
    nux.before_injection = {};
    nudge("overseer", "nux", "one more thing");
    EXPECT_FALSE(deliver("nux").soon) << "another carrier has the line";
  };
  const auto report = deliver("nux");
  EXPECT_TRUE(report.carried);
  EXPECT_TRUE(report.soon) << "nobody else will bring it";
  EXPECT_TRUE(deliver("nux").carried);
  EXPECT_FALSE(deliver("nux").soon);
  EXPECT_EQ(nux.injected.size(), 2U);
}

TEST_P(CourierTest, IsFencedByAHoldAndByDoNotDisturb) {
  auto& nux = session("nux");
  set_care("nux", [&](Care& care) { care.dnd_until = clock().now() + minutes(10); });
  const auto quiet = nudge("overseer", "nux", "hello");
  deliver("nux");
  EXPECT_EQ(nux.injected.size(), 0U);
  const auto forced = nudge("overseer", "nux", "fire", [](auto& draft) { draft.forced = true; });
  deliver("nux");
  EXPECT_EQ(nux.ids(), Strings{forced.id.str()});
  tick(minutes(10), seconds(30));
  deliver("nux");
  EXPECT_EQ(state(quiet), NudgeState::delivered);
}

}  // namespace
}  // namespace townpost
