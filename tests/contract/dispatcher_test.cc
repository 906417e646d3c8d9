#include "contract/delivery_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class DispatcherTest : public DeliveryTest {
 protected:
  /// `who` works on something and was last heard of now.
  void has_work(const std::string& who) {
    set_care(who, [](Care& care) { care.holds = HeldBead::told("bead-1"); });
    becomes(who, AgentState::running);
  }
  /// Subjects of the town's own mail to the mayor.
  Strings told_to_mayor() { return notices("mayor/"); }
  std::vector<Nudge> warnings(const std::string& who) {
    std::vector<Nudge> out;
    for (auto& one : must(nudges().list({.target = id_of(who)})))
      if (one.coalesce_key == "gupp") out.push_back(one);
    return out;
  }
};
ON_EVERY_STORE(DispatcherTest);

// ---- carrying
// ---------------------------------------------------------------------------------------------------------

TEST_P(DispatcherTest, BringsWhatWaitsForABusyAgentAtItsNextIdleMoment) {  // K010
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  const auto sent = nudge("overseer", "nux", "when you have a moment");
  watch(minutes(5));
  EXPECT_EQ(nux.injected.size(), 0U);
  nux.look = {SessionState::idle, ""};
  watch(seconds(5));
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
  EXPECT_EQ(state(sent), NudgeState::delivered);
  EXPECT_EQ(starter().stopped.size(), 0U) << "the agent lives";
}

TEST_P(DispatcherTest, BringsWhatMayNotWakeAtTheEndOfATurn) {
  auto& nux = session("nux");
  const auto never = nudge("overseer", "nux", "no hurry", with_mode(NudgeMode::queue));
  watch(minutes(5));
  EXPECT_EQ(nux.injected.size(), 0U) << "an idle agent is not woken for it";
  nux.look = {SessionState::busy, ""};
  watch(minutes(1));
  EXPECT_EQ(nux.injected.size(), 0U);
  nux.look = {SessionState::idle, ""};
  watch(seconds(5));
  EXPECT_EQ(nux.ids(), Strings{never.id.str()});
}

TEST_P(DispatcherTest, IsNotWokenByItsOwnNotes) {
  auto& nux = session("nux");
  FolderWatch notes({PresenceFiles(town().folder).folder()});
  nudge("overseer", "nux", "no hurry", with_mode(NudgeMode::queue));
  for (const auto state : {SessionState::gone, SessionState::busy, SessionState::typing, SessionState::idle}) {
    nux.look = {state, ""};
    watch(seconds(30));
    (void)notes.read();
    std::size_t written = 0;
    for (int looks = 0; looks < 4; ++looks) {
      clock().advance(seconds(2));
      round();
      written += notes.read().files.size();
    }
    EXPECT_LE(written, 1U) << static_cast<int>(state) << ": once in half a minute";
  }
}

TEST_P(DispatcherTest, TellsPeopleWhoseDraftIsInTheWayForLong) {
  auto& nux = session("nux");
  nux.look = {SessionState::typing, "there is a draft in the input line"};
  const auto sent = nudge("overseer", "nux", "when you have a moment");
  watch(seconds(110));
  EXPECT_EQ(nux.told, Strings{}) << "who types is not disturbed";
  watch(seconds(30));
  ASSERT_EQ(nux.told.size(), 1U);
  EXPECT_NE(nux.told[0].find(address_of("nux")), std::string::npos);
  watch(minutes(1));
  EXPECT_EQ(nux.told.size(), 2U) << "once a minute";
  nux.look = {SessionState::idle, ""};
  watch(seconds(5));
  EXPECT_EQ(state(sent), NudgeState::delivered);
  nux.look = {SessionState::typing, "there is a draft in the input line"};
  nudge("overseer", "nux", "once more");
  watch(seconds(90));
  EXPECT_EQ(nux.told.size(), 2U) << "another draft has its own two minutes";
}

TEST_P(DispatcherTest, GreetsWhoeverSitsInATerminalOfTheirNameWithTheMailThatWaits) {
  auto& terminal = doors().agents["tmux:hq-nux"];
  const auto mail = send("overseer", "nux", "welcome");
  EXPECT_EQ(mail.recipients.at(0).state, ReachState::no_session);
  watch(minutes(2));
  EXPECT_EQ(terminal.injected.size(), 0U) << "nobody is there yet";
  doors().by_name[address_of("nux")] = "tmux:hq-nux";
  watch(minutes(1));
  ASSERT_EQ(terminal.injected.size(), 1U);
  EXPECT_NE(terminal.injected[0].text.find("welcome"), std::string::npos);
  EXPECT_EQ(send("overseer", "nux", "news").recipients.at(0).state, ReachState::queued) << "it is known now";
  watch(minutes(1));
  EXPECT_EQ(terminal.injected.size(), 2U);
}

TEST_P(DispatcherTest, LooksSeldomWhileNothingWaitsAndSoonWhenSomethingDoes) {  // K039
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  EXPECT_EQ(round() - clock().now(), seconds(30));
  nudge("overseer", "nux", "when you have a moment");
  EXPECT_LE(round() - clock().now(), seconds(2));
  nux.look = {SessionState::idle, ""};
  clock().advance(seconds(2));
  round();
  EXPECT_GE(round() - clock().now(), seconds(20));
}

TEST_P(DispatcherTest, EndsWhatNeverFoundItsBoundaryAndTellsTheSenderOnce) {  // K014
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  const auto sent = nudge("slit", "nux", "at your next boundary", [](NudgeDraft& draft) {
    draft.mode = NudgeMode::queue;
    draft.ttl = seconds(60);
  });
  watch(seconds(90));
  nux.look = {SessionState::idle, ""};
  watch(minutes(10));
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(state(sent), NudgeState::expired);
  EXPECT_EQ(notices("slit").size(), 1U);
}

TEST_P(DispatcherTest, GoesOnWhereAnEarlierOneWasEnded) {  // K022
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  const auto sent = nudge("overseer", "nux", "hello");
  watch(seconds(10));
  restart_dispatcher();
  nux.look = {SessionState::idle, ""};
  watch(seconds(5));
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
}

/// A store that can be made to fail.
class FailingStore final : public Store {
 public:
  explicit FailingStore(Store& inner) : inner_(inner) {}
  Result<> run(Access access, const Transaction& work, const Patience& patience) override {
    return fails ? trouble() : inner_.run(access, work, patience);
  }
  bool fails = false;

 private:
  static Result<> trouble() { return fail(Code::unavailable, "the store cannot be reached", ""); }
  Store& inner_;
};

TEST_P(DispatcherTest, GoesOnOnceTheStoreCanBeReachedAgain) {  // K020
  auto& nux = session("nux");
  const auto sent = nudge("overseer", "nux", "hello");
  FailingStore failing(store());
  Town shaky{town().folder, town().settings, failing, town().bell, town().machine, town().clock, town().random};
  Watcher watcher(shaky, doors(), starter());
  failing.fails = true;
  EXPECT_EQ(error_of(watcher.round()).code, Code::unavailable);
  EXPECT_EQ(nux.injected.size(), 0U);
  failing.fails = false;
  must(watcher.round());
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
}

TEST_P(DispatcherTest, ServesEverybodyEvenIfOneAgentCannotBeReached) {
  must(registry().add_agent({.address = address_of("max"), .session = "codex:nowhere"}, {}));
  must(registry().add_agent({.address = address_of("slit"), .start_command = "nothing", .start_on = StartOn::nudge},
                            {}));
  starter().error = "no such program";
  auto& nux = session("nux");
  nudge("overseer", "max", "hello");
  nudge("overseer", "slit", "hello");
  const auto sent = nudge("overseer", "nux", "hello");
  (void)watcher().round();  // it may say that something went wrong
  EXPECT_EQ(nux.ids(), Strings{sent.id.str()});
}

TEST_P(DispatcherTest, NoticesThatAProcessIsGoneAndPutsBackWhatItWasGiven) {
  starts("nux", "s1");
  const auto sent = nudge("overseer", "nux", "hello");
  must(nudges().handed(take("nux", Boundary::idle), "a hook"));
  set_presence("nux", [&](Presence& presence) {
    presence = {.agent = id_of("nux"),
                .state = AgentState::running,
                .incarnation = "s1",
                .harness = Harness::of_word("claude"),
                .host = "this host",
                .pid = 4711,
                .started_at = clock().now()};
  });
  watch(seconds(5));
  EXPECT_EQ(state(sent), NudgeState::handed);
  starter().ended = {4711};
  watch(seconds(30));
  EXPECT_EQ(state_of("nux"), AgentState::exited);
  EXPECT_EQ(state(sent), NudgeState::queued) << "the next session is shown it";
}

TEST_P(DispatcherTest, LeavesTheAgentsOfOtherHostsToThese) {
  auto& nux = session("nux");
  set_presence("nux", [&](Presence& presence) {
    presence.state = AgentState::idle;
    presence.host = "another host";
    presence.pid = 4711;
  });
  starter().ended = {4711};
  nudge("overseer", "nux", "hello");
  watch(seconds(5));
  EXPECT_EQ(nux.injected.size(), 0U);
  EXPECT_EQ(state_of("nux"), AgentState::idle);
}

TEST_P(DispatcherTest, TakesATurnForOverThatWasInterruptedWithoutAWord) {
  auto& pane = doors().agents["tmux:%5"];
  set_presence("nux", [&](Presence& presence) {
    presence = {.agent = id_of("nux"),
                .state = AgentState::running,
                .incarnation = "s1",
                .harness = Harness::of_word("claude"),
                .session = "tmux:%5",
                .started_at = clock().now(),
                .last_activity = clock().now()};
  });
  nudge("overseer", "nux", "hello");
  watch(minutes(2));
  EXPECT_EQ(pane.injected.size(), 0U) << "it may be thinking";
  watch(minutes(1));
  ASSERT_GE(pane.injected.size(), 1U);
  EXPECT_EQ(pane.injected[0].text, kTrigger) << "an idle session's hooks are called";
}

TEST_P(DispatcherTest, TakesAnInterruptedTurnForOverAlsoIfNothingWaits) {
  doors().agents["tmux:%5"];
  set_presence("nux", [&](Presence& presence) {
    presence = {.agent = id_of("nux"),
                .state = AgentState::running,
                .incarnation = "s1",
                .harness = Harness::of_word("claude"),
                .session = "tmux:%5",
                .started_at = clock().now(),
                .last_activity = clock().now()};
  });
  watch(minutes(2));
  EXPECT_EQ(state_of("nux"), AgentState::running);
  watch(minutes(1));
  EXPECT_EQ(state_of("nux"), AgentState::idle) << "and gt status says so";
}

// ---- blocked
// ----------------------------------------------------------------------------------------------------------

TEST_P(DispatcherTest, TellsAPersonOnceWhoIsBlocked) {
  becomes("nux", AgentState::blocked);
  watch(seconds(59));
  EXPECT_EQ(notices("overseer").size(), 0U);
  watch(seconds(1));
  ASSERT_EQ(notices("overseer").size(), 1U);
  EXPECT_NE(notices("overseer")[0].find("nux"), std::string::npos);
  watch(hours(3));
  EXPECT_EQ(notices("overseer").size(), 1U);
  becomes("nux", AgentState::running);
  watch(seconds(1));
  becomes("nux", AgentState::blocked);
  watch(minutes(2));
  EXPECT_EQ(notices("overseer").size(), 2U) << "another dialog is news";
}

TEST_P(DispatcherTest, TellsAPersonWhoIsStalled) {
  becomes("nux", AgentState::stalled);
  watch(seconds(59));
  EXPECT_EQ(notices("overseer").size(), 0U);
  watch(seconds(2));
  ASSERT_EQ(notices("overseer").size(), 1U);
  EXPECT_NE(notices("overseer")[0].find("stalled"), std::string::npos);
}

TEST_P(DispatcherTest, SeesADialogOfAServerThatWasOpenBeforeItWatched) {
  const std::string uri = "opencode:http://127.0.0.1:1#ses_1";
  must(registry().add_agent({.address = address_of("nux"), .session = uri}, {}));
  doors().agents[uri].look = {SessionState::blocked, "a permission request is open"};
  watch(seconds(1));
  EXPECT_EQ(state_of("nux"), AgentState::blocked) << "though nothing waits for it";
  watch(seconds(60));
  EXPECT_EQ(notices("overseer").size(), 1U);
}

TEST_P(DispatcherTest, SaysNothingOfADialogThatWasAnsweredSoon) {
  for (int i = 0; i < 5; ++i) {
    becomes("nux", AgentState::blocked);
    watch(seconds(30));
    becomes("nux", AgentState::running);
    watch(seconds(30));
  }
  EXPECT_EQ(notices("overseer").size(), 0U);
}

// ---- the ladder
// -------------------------------------------------------------------------------------------------------

TEST_P(DispatcherTest, CountsTheSilenceOfASessionThatOnlyItsHookNotedFromItsStart) {
  watch(hours(30));
  starts("nux");  // a hook knows nothing of the town's own time
  must(Cares(town()).set_hook("nux", "be-1", {}));
  watch(minutes(14));
  EXPECT_EQ(warnings("nux").size(), 0U);
  EXPECT_EQ(told_to_mayor().size(), 0U);
  EXPECT_EQ(starter().stopped.size(), 0U);
  watch(minutes(2));
  EXPECT_EQ(warnings("nux").size(), 1U);
}

TEST_P(DispatcherTest, CountsTheSilenceOfAnIdleAgentFromItsNewWork) {
  becomes("nux", AgentState::idle);
  watch(hours(5));
  must(Cares(town()).set_hook("nux", "be-1", {}));
  watch(minutes(14));
  EXPECT_EQ(warnings("nux").size(), 0U);
  EXPECT_EQ(starter().stopped.size(), 0U);
  watch(minutes(2));
  EXPECT_EQ(warnings("nux").size(), 1U);
  watch(minutes(110));
  const auto told = join(told_to_mayor(), "; ");
  EXPECT_NE(told.find("is silent with work on its hook"), std::string::npos) << told;
  EXPECT_NE(told.find("was stopped"), std::string::npos) << told;
  EXPECT_EQ(starter().stopped.size(), 1U);
}

TEST_P(DispatcherTest, SaysThatItStoppedNobodyWhereNobodyCould) {
  starter().supervises = false;
  becomes("nux", AgentState::idle);
  must(Cares(town()).set_hook("nux", "be-1", {}));
  watch(hours(3));
  const auto told = join(told_to_mayor(), "; ");
  EXPECT_EQ(told.find("was stopped"), std::string::npos) << told;
  EXPECT_NE(told.find("no supervisor here can stop it"), std::string::npos) << told;
  EXPECT_EQ(starter().stopped.size(), 0U);
}

TEST_P(DispatcherTest, WatchesOverWorkInATerminalThatNobodySpokeToYet) {
  must(registry().add_agent({.address = address_of("nux"), .session = "tmux:%7"}, {}));
  doors().agents["tmux:%7"];
  must(Cares(town()).set_hook("nux", "be-1", {}));
  watch(minutes(16));
  EXPECT_EQ(warnings("nux").size(), 1U);
}

TEST_P(DispatcherTest, WarnsASilentAgentOnceAndShowsItTheWarningOnce) {  // K024, K030
  auto& nux = session("nux");
  has_work("nux");
  watch(minutes(14));
  EXPECT_EQ(warnings("nux").size(), 0U);
  watch(minutes(2));
  round();
  round();
  ASSERT_EQ(warnings("nux").size(), 1U);
  EXPECT_EQ(state(warnings("nux")[0]), NudgeState::delivered);
  EXPECT_EQ(nux.ids(), Strings{warnings("nux")[0].id.str()});
  restart_dispatcher();
  watch(minutes(30));
  EXPECT_EQ(warnings("nux").size(), 1U) << "not again within the hour, whoever watches";
}

TEST_P(DispatcherTest, TellsTheMayorAfterAnHourAndStopsItAfterTwo) {
  session("nux");
  has_work("nux");
  watch(minutes(61));
  EXPECT_EQ(told_to_mayor().size(), 1U);
  EXPECT_EQ(starter().stopped.size(), 0U);
  watch(minutes(58));
  EXPECT_EQ(told_to_mayor().size(), 1U) << "once";
  watch(minutes(2));
  EXPECT_EQ(starter().stopped, std::vector<AgentId>{id_of("nux")});
  EXPECT_EQ(state_of("nux"), AgentState::dead);
  EXPECT_EQ(told_to_mayor().size(), 2U);
}

TEST_P(DispatcherTest, StopsASilentAgentOnceEvenIfItsSessionIsStillThere) {
  session("nux");
  has_work("nux");
  watch(minutes(121));
  ASSERT_EQ(starter().stopped.size(), 1U);
  const auto told = told_to_mayor().size();
  nudge("overseer", "nux", "are you there?");
  watch(minutes(30));
  EXPECT_EQ(starter().stopped.size(), 1U);
  EXPECT_EQ(told_to_mayor().size(), told);
}

TEST_P(DispatcherTest, BeginsTheLadderAnewAfterASignOfWork) {
  session("nux");
  has_work("nux");
  watch(minutes(50));
  becomes("nux", AgentState::running);
  watch(minutes(50));
  EXPECT_EQ(told_to_mayor().size(), 0U);
  EXPECT_EQ(warnings("nux").size(), 2U);
}

TEST_P(DispatcherTest, NeverWarnsTheMayor) {  // K025
  must(registry().add_agent({.address = "mayor/"}, {}));
  has_work("mayor/");
  watch(hours(3));
  EXPECT_EQ(warnings("mayor/").size(), 0U);
  EXPECT_EQ(starter().stopped.size(), 0U);
}

TEST_P(DispatcherTest, WarnsNobodyWithoutWorkNorWhileAToolRuns) {
  becomes("slit", AgentState::running);
  has_work("nux");
  set_presence("nux", [](Presence& presence) { presence.tool_running = true; });
  watch(hours(3));
  EXPECT_EQ(warnings("slit").size(), 0U);
  EXPECT_EQ(warnings("nux").size(), 0U);
  EXPECT_EQ(starter().stopped.size(), 0U);
}

// ---- sleep
// ------------------------------------------------------------------------------------------------------------

TEST_P(DispatcherTest, WakesFromANightWithOneDigestAndNoStorm) {  // J052
  auto& nux = session("nux");
  nux.look = {SessionState::busy, ""};
  session("slit");
  has_work("slit");
  must(registry().add_agent({.address = "mayor/"}, {}));
  std::vector<Nudge> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.push_back(nudge("overseer", "nux", "", [&](NudgeDraft& draft) {
      if (i % 2 == 0) draft.mode = NudgeMode::immediate;
      draft.delay = seconds(30);
    }));
  send("overseer", "nux", "night shift");
  watch(seconds(20));
  sleep(hours(8));
  nux.look = {SessionState::idle, ""};
  watch(minutes(1));
  EXPECT_EQ(nux.injected.size(), 1U) << "one digest";
  for (const auto& one : waiting) EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_EQ(notices("overseer").size(), 0U) << "nothing expired";
  EXPECT_EQ(starter().stopped.size(), 0U);
  EXPECT_EQ(warnings("slit").size(), 0U);
  EXPECT_EQ(told_to_mayor().size(), 0U);
}

TEST_P(DispatcherTest, CountsTheRestOfALifeAfterTheNight) {
  session("nux").look = {SessionState::busy, ""};
  const auto sent = nudge("overseer", "nux", "hello", with_life(minutes(10)));
  watch(minutes(8));
  sleep(hours(8));
  watch(minutes(6));  // five of them are for waking up
  EXPECT_EQ(state(sent), NudgeState::queued);
  watch(minutes(2));
  EXPECT_EQ(state(sent), NudgeState::expired);
}

}  // namespace
}  // namespace townpost
