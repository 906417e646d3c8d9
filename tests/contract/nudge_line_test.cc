// How nudges leave the line: at which boundary, in which order, carried by whom, and what proves that they arrived.
#include "contract/nudge_fixture.h"

namespace townpost {
namespace {

using std::chrono::seconds;

/// Without the rules that hold agents' nudges back.
class NudgeLineTest : public NudgeTest {
 protected:
  NudgeLineTest() {
    limits().enabled = false;
    starts("nux");
  }
  /// From now on another process carries; the one before it is still there.
  void another_carrier() {
    machine().process = "another process";
    machine().running.insert("another process");
  }
  void fail_once(const std::string& who = "nux") {
    must(nudges().give_back(take(who, Boundary::prompt), "the pane did not move", Nudges::Tried::yes));
  }
  static Nudges::Shows shows(bool answer) {
    return [answer](std::string_view) { return std::optional(answer); };
  }
};
ON_EVERY_STORE(NudgeLineTest);

TEST_P(NudgeLineTest, EachModeIsShownAtTheBoundariesItIsMeantFor) {
  using enum Boundary;
  struct Case {
    NudgeMode mode;
    std::vector<Boundary> shown_at;
  };
  for (const auto& [mode, shown_at] :
       {Case{NudgeMode::wait_idle, {start, prompt, turn_end, Boundary::idle}},
        Case{NudgeMode::soon, {start, prompt, tool, turn_end, Boundary::idle}},
        Case{NudgeMode::immediate, {start, prompt, tool, turn_end, Boundary::idle, busy}},
        Case{NudgeMode::queue, {start, prompt, turn_end}}})
    for (const auto boundary : {start, prompt, tool, turn_end, Boundary::idle, busy}) {
      const Nudge one = nudge("max", "nux", "", with_mode(mode));
      const bool expected = std::find(shown_at.begin(), shown_at.end(), boundary) != shown_at.end();
      const Parcel parcel = show("nux", boundary);
      EXPECT_EQ(!parcel.empty(), expected) << name(mode) << " at " << name(boundary);
      EXPECT_EQ(state(one), expected ? NudgeState::delivered : NudgeState::queued);
      EXPECT_EQ(has(parcel.text, one.text), expected);
      if (!expected) must(nudges().drop(one.id, "next case", caller("max")));
    }
}

TEST_P(NudgeLineTest, TheUrgentComeFirstThenTheOldest) {  // G207, K015
  for (const auto* text : {"first", "second"}) nudge("max", "nux", text);
  for (const auto* text : {"urgent", "urgent too"}) nudge("max", "nux", text, urgently);
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_EQ(texts(parcel), (Strings{"urgent", "urgent too", "first", "second"})) << "all in one block";
  EXPECT_LT(parcel.text.find("urgent too"), parcel.text.find("first"));
}

TEST_P(NudgeLineTest, NothingIsEmptyAndNoError) {  // G189
  EXPECT_TRUE(take("nux", Boundary::prompt).empty());
  EXPECT_TRUE(must(nudges().take({4711}, "no session", Boundary::prompt)).empty());
}

TEST_P(NudgeLineTest, ADelayedOneIsShownWhenItsTimeHasCome) {  // G197
  nudge("max", "nux", "later", [](NudgeDraft& draft) { draft.delay = seconds(10); });
  const Parcel early = take("nux", Boundary::idle);
  EXPECT_TRUE(early.empty());
  EXPECT_EQ(early.look_again_at, clock().now() + seconds(10));
  EXPECT_EQ(line("nux").size(), 1u);
  nudge("max", "nux", "now", [](NudgeDraft& draft) { draft.delay = seconds(0); });
  nudge("max", "nux", "long ago", [](NudgeDraft& draft) { draft.delay = -seconds(1); });
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"now", "long ago"}));
  tick(seconds(10));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"later"});
}

TEST_P(NudgeLineTest, WhatIsTakenIsLeasedOnce) {  // G325
  const Nudge one = nudge("max", "nux");
  const Parcel parcel = take("nux", Boundary::idle);
  ASSERT_EQ(parcel.nudges.size(), 1u);
  EXPECT_EQ(parcel.ids(), Strings{one.id.str()});
  EXPECT_EQ(state(one), NudgeState::leased);
  EXPECT_EQ(now(one).leased_for, "session 1");
  EXPECT_EQ(now(one).leased_by, "this process");
  EXPECT_EQ(now(one).lease_until, awake() + seconds(60));
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
  must(nudges().delivered(parcel, "2xx"));
  EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_EQ(now(one).evidence, "2xx");
  EXPECT_EQ(now(one).delivered_at, clock().now());
  EXPECT_TRUE(line("nux").empty());
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

TEST_P(NudgeLineTest, ALeaseIsForTheWholeAgent) {
  const Nudge one = nudge("max", "nux", "first");
  take("nux", Boundary::idle);
  nudge("max", "nux", "second");
  another_carrier();
  const Parcel other = take("nux", Boundary::idle);
  EXPECT_TRUE(other.empty()) << "it would overtake what is on its way";
  ASSERT_TRUE(other.look_again_at.has_value());
  EXPECT_LE(*other.look_again_at, clock().now() + seconds(60));
  starts("slit");
  nudge("max", "slit", "elsewhere");
  EXPECT_EQ(shown("slit", Boundary::idle), Strings{"elsewhere"}) << "another agent's line";
  EXPECT_EQ(state(one), NudgeState::leased);
}

TEST_P(NudgeLineTest, ALeaseThatRanOutGoesToTheNextCarrier) {
  const Nudge one = nudge("max", "nux");
  take("nux", Boundary::idle);
  another_carrier();
  tick(seconds(59));
  settle("nux");
  EXPECT_EQ(state(one), NudgeState::leased);
  tick(seconds(1));
  settle("nux");
  tick(seconds(2));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{one.text});
  EXPECT_EQ(state(one), NudgeState::delivered);
}

TEST_P(NudgeLineTest, ALeaseOfACarrierThatIsGoneBindsNobody) {  // G202
  const Nudge one = nudge("max", "nux");
  take("nux", Boundary::idle);
  another_carrier();
  machine().running.erase("this process");
  settle("nux");
  EXPECT_EQ(state(one), NudgeState::queued);
  tick(seconds(1));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{one.text}) << "later, and under the same id";
  EXPECT_EQ(state(one), NudgeState::delivered);
}

TEST_P(NudgeLineTest, BeforeItIsRepeatedItIsLookedFor) {
  const Nudge one = nudge("max", "nux");
  take("nux", Boundary::idle);
  machine().running.clear();
  settle("nux", [&](std::string_view id) { return std::optional(id == one.id.str()); });
  EXPECT_EQ(state(one), NudgeState::delivered) << "its carrier injected it and died before it could say so";
  another_carrier();
  EXPECT_TRUE(take("nux", Boundary::idle).empty());
}

TEST_P(NudgeLineTest, ACarrierThatLostItsLeaseDecidesNothing) {
  const Nudge one = nudge("max", "nux");
  const Parcel late = take("nux", Boundary::idle);
  another_carrier();
  machine().running.erase("this process");
  settle("nux");
  tick(seconds(1));
  const Parcel parcel = take("nux", Boundary::idle);
  ASSERT_EQ(parcel.nudges.size(), 1u);
  must(nudges().give_back(late, "too late", Nudges::Tried::yes));
  EXPECT_EQ(state(one), NudgeState::leased);
  must(nudges().delivered(late, "too late"));
  EXPECT_EQ(state(one), NudgeState::leased);
  must(nudges().handed(late, "too late"));
  EXPECT_EQ(state(one), NudgeState::leased);
  must(nudges().delivered(parcel, "2xx"));
  EXPECT_EQ(now(one).evidence, "2xx");
}

TEST_P(NudgeLineTest, WhatWasNotStartedIsNoAttempt) {
  const Nudge one = nudge("max", "nux");
  for (int i = 0; i < 20; ++i)
    must(nudges().give_back(take("nux", Boundary::idle), "a person is typing", Nudges::Tried::no));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(now(one).attempts, 0);
  EXPECT_EQ(now(one).last_error, "a person is typing");
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{one.text}) << "it is tried again at once";
}

TEST_P(NudgeLineTest, AFailingHeadHoldsBackThoseBehindIt) {
  nudge("max", "nux", "head");
  fail_once();
  nudge("max", "nux", "behind it");
  const Parcel waiting = take("nux", Boundary::idle);
  EXPECT_TRUE(waiting.empty()) << "order stands";
  ASSERT_TRUE(waiting.look_again_at.has_value());
  EXPECT_GT(*waiting.look_again_at, clock().now());
  EXPECT_LE(*waiting.look_again_at, clock().now() + seconds(1));
  nudge("max", "nux", "before it", urgently);
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"before it"}) << "an urgent one stands before it";
  tick(seconds(1));
  EXPECT_EQ(shown("nux", Boundary::idle), (Strings{"head", "behind it"}));
}

TEST_P(NudgeLineTest, EveryAttemptWaitsTwiceAsLongUpToAMinuteGiveOrTakeALittle) {
  std::set<Millis> last_waits;
  for (int round = 0; round < 5; ++round) {
    const Nudge one = nudge("max", "nux");
    for (int attempt = 1; attempt <= 7; ++attempt) {
      fail_once();
      EXPECT_EQ(now(one).attempts, attempt);
      const Millis full = std::min<Millis>(seconds(1 << (attempt - 1)), seconds(60));
      const Millis wait = now(one).retry_at.value() - awake();
      EXPECT_LE(wait, full) << "attempt " << attempt;
      EXPECT_GE(wait, full / 2) << "attempt " << attempt;
      if (attempt == 7) last_waits.insert(wait);
      tick(full);
    }
    must(nudges().drop(one.id, "enough", caller("max")));
  }
  EXPECT_GT(last_waits.size(), 1u) << "without chance all would come back together";
}

TEST_P(NudgeLineTest, AfterEightAttemptsItIsDeadAndItsSenderIsTold) {
  const Nudge one = nudge("max", "nux", "are you there?");
  for (int attempt = 1; attempt <= 7; ++attempt) {
    fail_once();
    tick(seconds(64), seconds(8));
  }
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_TRUE(notices("max").empty());
  fail_once();
  EXPECT_EQ(state(one), NudgeState::dead);
  EXPECT_EQ(now(one).attempts, 8);
  EXPECT_TRUE(has(now(one).last_error, "the pane did not move")) << now(one).last_error;
  EXPECT_EQ(notices("max"), Strings{"Nudge dead: you wrote \"are you there?\""});
  EXPECT_TRUE(notices("mayor/").empty());
  tick(seconds(64), seconds(8));
  EXPECT_TRUE(take("nux", Boundary::prompt).empty());
  EXPECT_EQ(notices("max").size(), 1u);
}

TEST_P(NudgeLineTest, ADeadOneMayBeginAnew) {
  const Nudge one = nudge("max", "nux");
  for (int attempt = 1; attempt <= 8; ++attempt) {
    fail_once();
    tick(seconds(64), seconds(8));
  }
  ASSERT_EQ(state(one), NudgeState::dead);
  const Nudge anew = must(nudges().retry(one.id, caller("max")));
  EXPECT_EQ(anew.state, NudgeState::queued);
  EXPECT_EQ(anew.attempts, 0);
  EXPECT_EQ(anew.ended_at, std::nullopt);
  EXPECT_EQ(shown("nux", Boundary::prompt), Strings{one.text});
}

TEST_P(NudgeLineTest, TheSessionsNextEventProvesWhatWasHanded) {
  const Nudge one = nudge("max", "nux");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  EXPECT_EQ(state(one), NudgeState::handed);
  EXPECT_EQ(now(one).handed_at, clock().now());
  EXPECT_TRUE(must(nudges().is_unsettled(id_of("nux"))));
  EXPECT_TRUE(take("nux", Boundary::idle).empty()) << "it is not shown twice";
  tick(seconds(5));
  settle("nux");
  EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_TRUE(has(now(one).evidence, "Stop")) << now(one).evidence;
  EXPECT_FALSE(must(nudges().is_unsettled(id_of("nux"))));
  EXPECT_EQ(history(one), (Strings{"queued", "leased", "handed", "delivered"}));
}

TEST_P(NudgeLineTest, ItsIdInTheSessionProvesItToo) {
  const Nudge one = nudge("max", "nux", "one");
  const Nudge other = nudge("max", "nux", "other");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  settle("nux", [&](std::string_view id) { return std::optional(id == one.id.str()); });
  EXPECT_EQ(state(one), NudgeState::delivered);
  EXPECT_TRUE(has(now(one).evidence, "id")) << now(one).evidence;
  EXPECT_EQ(state(other), NudgeState::handed) << "it may still be under way";
}

TEST_P(NudgeLineTest, WhatASessionTookAndDoesNotShowIsRepeated) {
  const Nudge one = nudge("max", "nux");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  tick(seconds(59));
  settle("nux", shows(false));
  EXPECT_EQ(state(one), NudgeState::handed);
  tick(seconds(1));
  settle("nux", shows(false));
  EXPECT_EQ(state(one), NudgeState::queued) << "a minute is enough to show it";
  EXPECT_EQ(now(one).attempts, 1);
  tick(seconds(1));
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{one.text});
}

TEST_P(NudgeLineTest, WhatFailedAndArrivedNeverthelessIsNotRepeated) {
  const Nudge one = nudge("max", "nux");
  fail_once();
  settle("nux", shows(false));
  EXPECT_EQ(state(one), NudgeState::queued);
  settle("nux", shows(true));
  EXPECT_EQ(state(one), NudgeState::delivered);
}

TEST_P(NudgeLineTest, WhatWasReplacedWhileItWasCarriedIsNotPutBack) {
  auto of_builds = [](NudgeDraft& draft) { draft.coalesce_key = "builds"; };
  const Nudge older = nudge("max", "nux", "one build failed", of_builds);
  const Parcel parcel = take("nux", Boundary::idle);
  nudge("max", "nux", "two builds failed", of_builds);
  must(nudges().give_back(parcel, "a person is typing", Nudges::Tried::no));
  EXPECT_EQ(state(older), NudgeState::superseded);
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"two builds failed"});
}

TEST_P(NudgeLineTest, ANewSessionIsShownFirstWhatTheOldOneDidNotGet) {  // K035
  const Nudge handed = nudge("max", "nux", "handed");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  const Nudge waiting = nudge("max", "nux", "waiting");
  starts("nux", "session 2");
  EXPECT_EQ(state(handed), NudgeState::queued) << "put back under its own id";
  const Parcel parcel = take("nux", Boundary::start);
  EXPECT_EQ(texts(parcel), (Strings{"handed", "waiting"})) << "at once: there may be no other boundary for hours";
  EXPECT_EQ(parcel.incarnation, "session 2");
  EXPECT_EQ(now(waiting).attempts, 0);
}

TEST_P(NudgeLineTest, AResumedSessionThatShowsItIsNotShownItAgain) {
  const Nudge one = nudge("max", "nux");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  must(nudges().settle(id_of("nux"), "session 1", Nudges::Since::new_session, shows(true), "SessionStart"));
  EXPECT_EQ(state(one), NudgeState::delivered);
}

TEST_P(NudgeLineTest, AnEventOfAnotherSessionProvesNothing) {
  const Nudge one = nudge("max", "nux");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  must(nudges().settle(id_of("nux"), "session 2", Nudges::Since::next_event, {}, "Stop"));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(now(one).leased_for, "") << "whoever takes it next decides for which session";
}

TEST_P(NudgeLineTest, TheSessionsEndPutsBackWhatItDidNotShow) {
  const Nudge one = nudge("max", "nux");
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  must(nudges().settle(id_of("nux"), "session 1", Nudges::Since::new_session, shows(false), "SessionEnd"));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(history(one).back(), "put back");
}

TEST_P(NudgeLineTest, AnEphemeralOneIsTriedOnceAndLeavesNoMail) {
  auto ephemeral = [](NudgeDraft& draft) { draft.ephemeral = true; };
  const Nudge failed = nudge("max", "nux", "quick", ephemeral);
  fail_once();
  EXPECT_EQ(state(failed), NudgeState::lost);
  EXPECT_EQ(notices("max"), Strings());
  const Nudge left_behind = nudge("max", "nux", "quick again", ephemeral);
  must(nudges().handed(take("nux", Boundary::turn_end), "the Stop hook"));
  starts("nux", "session 2");
  EXPECT_EQ(state(left_behind), NudgeState::lost) << "its session is gone";
  EXPECT_EQ(notices("max"), Strings());
  const Nudge arrived = nudge("max", "nux", "and again", ephemeral);
  EXPECT_EQ(shown("nux", Boundary::idle), Strings{"and again"});
  EXPECT_EQ(state(arrived), NudgeState::delivered);
}

TEST_P(NudgeLineTest, WhatDoesNotFitIntoOneBlockComesWithTheNext) {
  for (const auto* letter : {"a", "b", "c"}) {
    std::string text;
    while (text.size() < 4'000) text += letter;
    nudge("max", "nux", text);
  }
  EXPECT_EQ(show("nux", Boundary::idle).nudges.size(), 2u);
  const auto rest = line("nux");
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].state, NudgeState::queued);
  EXPECT_EQ(show("nux", Boundary::idle).nudges.size(), 1u);
}

TEST_P(NudgeLineTest, AParcelThatIsProvenAfterItWasHandedWokeOnce) {
  nudge("max", "nux");
  const Parcel parcel = take("nux", Boundary::idle);
  must(nudges().handed(parcel, "typed"));
  must(nudges().delivered(parcel, "the pane moved"));
  const AgentId nux = id_of("nux");
  EXPECT_EQ(reading(store(),
                    [&](Ledger& ledger) {
                      return must(ledger.count_wakes(nux, {Instant{0}, clock().now()}));
                    }),
            1);
}

TEST_P(NudgeLineTest, ALookFindsWhatTakeWouldFindAndWritesNothing) {
  EXPECT_FALSE(must(nudges().anything_for(id_of("nux"), Boundary::idle)));
  const Nudge one = nudge("max", "nux");
  EXPECT_TRUE(must(nudges().anything_for(id_of("nux"), Boundary::idle)));
  EXPECT_EQ(state(one), NudgeState::queued);
  EXPECT_EQ(history(one), Strings{"queued"});
}

}  // namespace
}  // namespace townpost
