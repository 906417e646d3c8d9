#include "delivery/lifecycle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace townpost {

inline void PrintTo(AgentState state, std::ostream* out) { *out << name(state); }
std::ostream& operator<<(std::ostream& out, const LifeRules& rules) {
  return out << (rules.supervised ? "supervised, " : "") << (rules.policy.exits_on_idle ? "exits, " : "")
             << (rules.has_work ? "has work, " : "") << (rules.policy.gupp_exempt ? "exempt, " : "")
             << rules.policy.idle_timeout.count() << " ms";
}

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Actions = std::vector<LifeAction>;

constexpr AwakeTime kNoon{1'000'000'000};
const Actions kNone;
const Actions kLook = {LifeAction::look_for_work};
const Actions kStop = {LifeAction::stop};
LifeRules supervised(Millis idle_timeout = minutes(2)) {
  LifeRules rules;
  rules.policy.idle_timeout = idle_timeout;
  rules.supervised = true;
  return rules;
}

LifeRules with_work() {
  LifeRules rules;
  rules.has_work = true;
  return rules;
}

/// An agent whose events a test tells one after the other.
class Agent {
 public:
  explicit Agent(LifeRules rules, AgentState state = AgentState::running) : rules_(std::move(rules)) {
    life_.state = state;
    life_.active_at = now_;
  }

  Actions after(LifeEvent event) {
    auto step = advance(life_, event, now_, rules_);
    life_ = step.life;
    return step.actions;
  }
  /// Time goes on, with a tick whenever the machine wants one; what it does then. Looks find nothing.
  Actions pass(Millis time) {
    Actions out;
    const AwakeTime end = now_ + time;
    while (true) {
      const auto tick = next_tick(life_, rules_);
      if (!tick || *tick > end) break;
      now_ = std::max(now_, *tick);
      auto actions = after(LifeEvent::tick);
      if (std::erase(actions, LifeAction::look_for_work) > 0)
        for (const auto action : after(LifeEvent::found_nothing)) out.push_back(action);
      out.insert(out.end(), actions.begin(), actions.end());
    }
    now_ = end;
    return out;
  }
  /// A turn ends, and nothing waits for it.
  void goes_idle() {
    EXPECT_EQ(after(LifeEvent::turn_ended), kLook);
    EXPECT_EQ(after(LifeEvent::found_nothing), kNone);
  }
  void wait(Millis time) { now_ = now_ + time; }
  AgentState state() const { return life_.state; }
  const Life& life() const { return life_; }

 private:
  LifeRules rules_;
  Life life_;
  AwakeTime now_ = kNoon;
};

// ---- idle but available
// -----------------------------------------------------------------------------------------------

TEST(IdleAgent, IsLookedAfterAtTheEndOfEveryTurn) {
  Agent agent(supervised());
  EXPECT_EQ(agent.after(LifeEvent::turn_ended), kLook);
  EXPECT_EQ(agent.state(), AgentState::waiting);
}

TEST(IdleAgent, LivesOnWithWhatWasFoundForIt) {
  Agent agent(supervised());
  agent.after(LifeEvent::turn_ended);
  EXPECT_EQ(agent.after(LifeEvent::found_work), kNone);
  EXPECT_EQ(agent.pass(hours(5)), kNone) << "no timer runs while something is under way to it";
}

TEST(IdleAgent, IsStoppedWhenNothingCameForItsTimeout) {
  Agent agent(supervised(minutes(2)));
  agent.goes_idle();
  EXPECT_EQ(agent.pass(minutes(2) - Millis(1)), kNone);
  EXPECT_EQ(agent.state(), AgentState::waiting);
  EXPECT_EQ(agent.pass(Millis(1)), kStop);
  EXPECT_EQ(agent.state(), AgentState::exited);
}

TEST(IdleAgent, IsLookedAfterOnceMoreBeforeItIsStopped) {
  Agent agent(supervised(minutes(2)));
  agent.goes_idle();
  agent.wait(minutes(2));
  EXPECT_EQ(agent.after(LifeEvent::tick), kLook) << "what came in the last moment is not left behind";
  EXPECT_EQ(agent.after(LifeEvent::found_work), kNone);
  EXPECT_EQ(agent.pass(hours(1)), kNone);
}

TEST(IdleAgent, HasItsTimerCancelledByWorkOnly) {
  Agent agent(supervised(minutes(2)));
  agent.goes_idle();
  const auto deadline = agent.life().idle_deadline;
  agent.wait(minutes(1));
  EXPECT_EQ(agent.after(LifeEvent::heartbeat), kNone);
  EXPECT_EQ(agent.life().idle_deadline, deadline) << "a heartbeat is no work";
  EXPECT_EQ(agent.after(LifeEvent::work_arrived), kLook);
  EXPECT_EQ(agent.after(LifeEvent::found_nothing), kNone);
  EXPECT_EQ(agent.life().idle_deadline, deadline) << "a ring for others is no work";
  EXPECT_EQ(agent.after(LifeEvent::work_arrived), kLook);
  EXPECT_EQ(agent.after(LifeEvent::found_work), kNone);
  EXPECT_EQ(agent.life().idle_deadline, std::nullopt);
}

TEST(IdleAgent, HasAWholeTimeoutAfterEachTurn) {
  Agent agent(supervised(minutes(2)));
  agent.goes_idle();
  EXPECT_EQ(agent.pass(minutes(1)), kNone);
  agent.after(LifeEvent::turn_began);
  EXPECT_EQ(agent.pass(hours(3)), kNone) << "a turn takes as long as it takes";
  agent.goes_idle();
  EXPECT_EQ(agent.pass(minutes(2) - Millis(1)), kNone);
  EXPECT_EQ(agent.pass(Millis(1)), kStop);
}

TEST(IdleAgent, IsTheSameIfTheStoreCannotBeAsked) {
  Agent agent(supervised(minutes(2)));
  agent.after(LifeEvent::turn_ended);
  agent.wait(seconds(10));  // the longest that somebody asks for
  EXPECT_EQ(agent.after(LifeEvent::found_nothing), kNone);
  EXPECT_EQ(agent.pass(minutes(2)), kStop) << "the timer runs";
}

TEST(IdleAgent, IsNotOursToStopUnlessSupervised) {
  LifeRules rules = supervised();
  rules.supervised = false;
  Agent agent(rules);
  agent.goes_idle();
  EXPECT_EQ(agent.state(), AgentState::idle);
  EXPECT_EQ(agent.pass(hours(24)), kNone);
}

TEST(IdleAgent, StaysForEverIfItsRoleDoes) {
  Agent mayor({.policy = Settings().policy(Role::mayor), .gupp = {}, .supervised = true});
  mayor.goes_idle();
  EXPECT_EQ(mayor.state(), AgentState::idle);
  EXPECT_EQ(mayor.pass(hours(24)), kNone);
}

TEST(IdleAgent, WaitsAsLongAsItsRoleSays) {
  const Settings settings;
  EXPECT_EQ(settings.policy(Role::polecat).idle_timeout, minutes(2));
  EXPECT_EQ(settings.policy(Role::refinery).idle_timeout, minutes(10));
  Agent refinery({.policy = settings.policy(Role::refinery), .gupp = {}, .supervised = true});
  refinery.goes_idle();
  EXPECT_EQ(refinery.pass(minutes(10) - Millis(1)), kNone);
  EXPECT_EQ(refinery.pass(Millis(1)), kStop);
}

TEST(IdleAgent, CountsOnlyTheTimeInWhichTheTownIsAwake) {
  // The clock is the town's own: what a night of sleep does to it is a step back by the grace.
  const LifeRules rules = supervised(minutes(2));
  Life life{.state = AgentState::waiting, .active_at = kNoon, .idle_deadline = kNoon + minutes(2)};
  const auto morning = advance(life, LifeEvent::tick, kNoon + minutes(1) - minutes(5), rules);
  EXPECT_EQ(morning.actions, kNone);
  EXPECT_EQ(morning.life.idle_deadline, life.idle_deadline);
}

TEST(BlockedAgent, IsNeitherLookedAfterNorStopped) {
  for (const auto event : {LifeEvent::blocked, LifeEvent::stalled}) {
    Agent agent(supervised(minutes(2)));
    agent.goes_idle();
    agent.after(event);
    EXPECT_EQ(agent.state(), event == LifeEvent::blocked ? AgentState::blocked : AgentState::stalled);
    EXPECT_EQ(agent.after(LifeEvent::work_arrived), kNone) << "nothing is typed into a dialog";
    EXPECT_EQ(agent.after(LifeEvent::found_nothing), kNone);
    EXPECT_EQ(agent.pass(hours(10)), kNone);
    EXPECT_EQ(agent.after(LifeEvent::resumed), kNone);
    EXPECT_EQ(agent.state(), AgentState::running);
    EXPECT_EQ(agent.after(LifeEvent::turn_ended), kLook);
  }
}

TEST(RunningAgent, IsNotDisturbedByWhatArrives) {
  Agent agent(supervised());
  EXPECT_EQ(agent.after(LifeEvent::work_arrived), kNone);
  EXPECT_EQ(agent.life().idle_deadline, std::nullopt);
}

// ---- draining
// ---------------------------------------------------------------------------------------------------------

TEST(DrainingAgent, HasTenSeconds) {
  for (const auto timeout : {Millis(minutes(2)), Millis(0)}) {  // 0: it would stay for ever
    LifeRules rules = supervised(timeout);
    rules.policy.exits_on_idle = timeout > Millis(0);
    Agent agent(rules);
    agent.goes_idle();
    EXPECT_EQ(agent.after(LifeEvent::told_to_drain), kLook);
    EXPECT_EQ(agent.state(), AgentState::draining);
    EXPECT_EQ(agent.after(LifeEvent::found_nothing), kNone);
    EXPECT_EQ(agent.pass(seconds(10) - Millis(1)), kNone);
    EXPECT_EQ(agent.pass(Millis(1)), kStop);
  }
}

TEST(DrainingAgent, FinishesItsTurnAndIsShownWhatWaits) {
  Agent agent(supervised());
  EXPECT_EQ(agent.after(LifeEvent::told_to_drain), kNone);
  EXPECT_EQ(agent.state(), AgentState::running) << "a turn is not cut off";
  EXPECT_EQ(agent.pass(hours(1)), kNone);
  EXPECT_EQ(agent.after(LifeEvent::turn_ended), kLook);
  EXPECT_EQ(agent.state(), AgentState::draining);
  EXPECT_EQ(agent.after(LifeEvent::found_work), kNone);
  agent.after(LifeEvent::turn_began);
  EXPECT_EQ(agent.after(LifeEvent::turn_ended), kLook);
  EXPECT_EQ(agent.state(), AgentState::draining) << "told once is told";
  EXPECT_EQ(agent.after(LifeEvent::found_nothing), kNone);
  EXPECT_EQ(agent.pass(seconds(10)), kStop);
}

// ---- the ladder
// -------------------------------------------------------------------------------------------------------

TEST(SilentAgent, IsWarnedThenReportedThenStopped) {
  Agent agent(with_work());
  EXPECT_EQ(agent.pass(minutes(15) - Millis(1)), kNone);
  EXPECT_EQ(agent.pass(Millis(1)), Actions{LifeAction::warn});
  EXPECT_EQ(agent.pass(minutes(45) - Millis(1)), kNone);
  EXPECT_EQ(agent.pass(Millis(1)), Actions{LifeAction::escalate});
  EXPECT_EQ(agent.pass(minutes(15)), Actions{LifeAction::warn}) << "one warning an hour";
  EXPECT_EQ(agent.pass(minutes(45) - Millis(1)), kNone) << "the mayor is told once";
  EXPECT_EQ(agent.pass(Millis(1)), Actions{LifeAction::force_stop});
  EXPECT_EQ(agent.state(), AgentState::dead);
  EXPECT_EQ(agent.pass(hours(5)), kNone);
}

TEST(SilentAgent, IsWarnedOnceByTwoTicks) {
  Agent agent(with_work());
  agent.wait(minutes(20));
  EXPECT_EQ(agent.after(LifeEvent::tick), Actions{LifeAction::warn});
  EXPECT_EQ(agent.after(LifeEvent::tick), kNone);
  agent.wait(minutes(39));
  EXPECT_EQ(agent.after(LifeEvent::tick), kNone);
}

TEST(SilentAgent, IsLeftAloneWithoutWorkAndIfItsRoleIsExempt) {
  LifeRules idle = with_work();
  idle.has_work = false;
  EXPECT_EQ(Agent(idle).pass(hours(10)), kNone);
  LifeRules mayor = with_work();
  mayor.policy = Settings().policy(Role::mayor);
  EXPECT_EQ(Agent(mayor).pass(hours(10)), kNone);
}

TEST(SilentAgent, IsLeftAloneWhileAToolRuns) {
  Agent agent(with_work());
  agent.after(LifeEvent::tool_began);
  EXPECT_EQ(agent.pass(hours(10)), kNone);
  agent.after(LifeEvent::tool_ended);
  EXPECT_EQ(agent.pass(minutes(15) - Millis(1)), kNone) << "its end is a sign of work";
  EXPECT_EQ(agent.pass(Millis(1)), Actions{LifeAction::warn});
}

TEST(SilentAgent, IsNoLessSilentForAHeartbeat) {
  Agent agent(with_work());
  agent.wait(minutes(14));
  agent.after(LifeEvent::heartbeat);
  EXPECT_EQ(agent.pass(minutes(1)), Actions{LifeAction::warn});
}

TEST(SilentAgent, BeginsTheLadderAnewAfterASignOfWork) {
  for (const auto sign : {LifeEvent::turn_began, LifeEvent::turn_ended, LifeEvent::tool_ended, LifeEvent::resumed}) {
    Agent agent(with_work());
    EXPECT_EQ(agent.pass(minutes(70)), (Actions{LifeAction::warn, LifeAction::escalate}));
    agent.after(sign);
    EXPECT_EQ(agent.pass(minutes(15) - Millis(1)), kNone);
    EXPECT_EQ(agent.pass(minutes(45) + Millis(1)), (Actions{LifeAction::warn, LifeAction::escalate}));
  }
}

// ---- whatever happens
// -------------------------------------------------------------------------------------------------

rc::Gen<LifeRules> any_rules() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 16), rc::gen::element(1000, 120'000)), [](const auto& chosen) {
    const auto& [bits, timeout] = chosen;
    LifeRules rules = supervised(Millis(timeout));
    rules.supervised = (bits & 1) != 0;
    rules.policy.exits_on_idle = (bits & 2) != 0;
    rules.has_work = (bits & 4) != 0;
    rules.policy.gupp_exempt = (bits & 8) != 0;
    return rules;
  });
}

rc::Gen<LifeEvent> any_event() {
  return rc::gen::map(rc::gen::inRange(0, static_cast<int>(LifeEvent::ended) + 1),
                      [](int number) { return static_cast<LifeEvent>(number); });
}

struct Moment {
  LifeEvent event = LifeEvent::tick;
  Millis later{0};
};
std::ostream& operator<<(std::ostream& out, const Moment& moment) {
  return out << "event " << static_cast<int>(moment.event) << " after " << moment.later.count() << " ms";
}
rc::Gen<std::vector<Moment>> any_story() {
  return rc::gen::container<std::vector<Moment>>(
      rc::gen::map(rc::gen::tuple(any_event(), rc::gen::element(0, 1, 999, 10'000, 121'000, 901'000, 3'600'000)),
                   [](const auto& chosen) {
                     return Moment{std::get<0>(chosen), Millis(std::get<1>(chosen))};
                   }));
}

RC_GTEST_PROP(AnyLife, IsStoppedOnlyInAnswerToALookThatFoundNothing, ()) {
  const auto rules = *any_rules();
  Life life{.state = AgentState::running, .active_at = kNoon};
  AwakeTime now = kNoon;
  for (const auto& [event, later] : *any_story()) {
    now = now + later;
    const auto step = advance(life, event, now, rules);
    for (const auto action : step.actions) {
      if (action != LifeAction::stop) continue;
      RC_ASSERT(event == LifeEvent::found_nothing);
      RC_ASSERT(rules.supervised);
      RC_ASSERT(life.idle_deadline && *life.idle_deadline <= now);
    }
    if (event == LifeEvent::found_work) RC_ASSERT(!step.life.idle_deadline);
    life = step.life;
  }
}

RC_GTEST_PROP(AnyLife, HasAnEndAfterWhichNothingHappens, ()) {
  const auto rules = *any_rules();
  AwakeTime now = kNoon;
  for (const auto over : {AgentState::exited, AgentState::dead}) {
    const Life life{.state = over, .active_at = kNoon};
    for (const auto& [event, later] : *any_story()) {
      now = now + later;
      const auto step = advance(life, event, now, rules);
      RC_ASSERT(step.life == life);
      RC_ASSERT(step.actions.empty());
    }
    RC_ASSERT(!next_tick(life, rules));
  }
}

RC_GTEST_PROP(AnyLife, NeedsNoTickBeforeItAsksForOneAndGoesOnAfterIt, ()) {
  const auto rules = *any_rules();
  Life life{.state = AgentState::running, .active_at = kNoon};
  AwakeTime now = kNoon;
  for (const auto& [event, later] : *any_story()) {
    const auto wanted = next_tick(life, rules);
    if (!wanted || *wanted > now + later) RC_ASSERT(advance(life, LifeEvent::tick, now + later, rules).actions.empty());
    now = now + later;
    auto step = advance(life, LifeEvent::tick, now, rules);
    const bool looks = std::count(step.actions.begin(), step.actions.end(), LifeAction::look_for_work) > 0;
    if (looks) step = advance(step.life, LifeEvent::found_nothing, now, rules);
    const auto next = next_tick(step.life, rules);
    RC_ASSERT(!next || *next > now);  // or whoever follows it would never sleep
    life = advance(step.life, event, now, rules).life;
  }
}

RC_GTEST_PROP(AnyLife, IsTheSameAfterAHeartbeat, ()) {  // K019
  const auto rules = *any_rules();
  Life life{.state = AgentState::running, .active_at = kNoon};
  AwakeTime now = kNoon;
  for (const auto& [event, later] : *any_story()) {
    now = now + later;
    const auto step = advance(life, LifeEvent::heartbeat, now, rules);
    RC_ASSERT(step.life == life);
    RC_ASSERT(step.actions.empty());
    life = advance(life, event, now, rules).life;
  }
}

}  // namespace
}  // namespace townpost
