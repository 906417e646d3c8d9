#include "delivery/lifecycle.h"

#include <algorithm>

namespace townpost {

namespace {

constexpr Millis kDrainTime = std::chrono::seconds(10);
constexpr Millis kWarnAgain = std::chrono::minutes(60);

bool may_idle_out(const Life& life, const LifeRules& rules) {
  return rules.supervised && (rules.policy.exits_on_idle || life.draining);
}

Millis idle_timeout(const Life& life, const LifeRules& rules) {
  if (!life.draining) return rules.policy.idle_timeout;
  return rules.policy.exits_on_idle ? std::min(kDrainTime, rules.policy.idle_timeout) : kDrainTime;
}

AgentState idle_state(const Life& life, const LifeRules& rules) {
  if (life.draining) return AgentState::draining;
  return may_idle_out(life, rules) ? AgentState::waiting : AgentState::idle;
}

bool is_watched(const Life& life, const LifeRules& rules) {
  return rules.has_work && !rules.policy.gupp_exempt && !is_over(life.state) && !life.tool_running && life.warned < 3;
}

void work_seen(Life& life, AwakeTime now) {
  life.active_at = now;
  life.warned = 0;
  life.warned_at.reset();
}

/// The ladder: a warning per tier and hour, one word to the mayor, and the end.
void climb(Life& life, std::vector<LifeAction>& actions, AwakeTime now, const LifeRules& rules) {
  if (!is_watched(life, rules)) return;
  const Millis silent = now - life.active_at;
  if (silent >= rules.gupp.stop) {
    life.state = AgentState::dead;
    life.warned = 3;  // once: a session that is still there after it is a person's to end
    life.idle_deadline.reset();
    actions.push_back(LifeAction::force_stop);
    return;
  }
  if (silent >= rules.gupp.escalate && life.warned < 2) {
    life.warned = 2;
    actions.push_back(LifeAction::escalate);
  }
  if (silent < rules.gupp.warn) return;
  if (life.warned_at && now - *life.warned_at < kWarnAgain) return;
  life.warned = std::max(life.warned, 1);
  life.warned_at = now;
  actions.push_back(LifeAction::warn);
}

}  // namespace

LifeStep advance(const Life& before, LifeEvent event, AwakeTime now, const LifeRules& rules) {
  LifeStep step{before, {}};
  Life& life = step.life;
  if (is_over(life.state)) return step;
  switch (event) {
    case LifeEvent::turn_began:
    case LifeEvent::tool_began:
    case LifeEvent::tool_ended:
    case LifeEvent::resumed:
      life.state = AgentState::running;
      life.idle_deadline.reset();
      life.tool_running = event == LifeEvent::tool_began;
      work_seen(life, now);
      break;
    case LifeEvent::turn_ended:
      life.state = idle_state(life, rules);
      life.tool_running = false;
      life.idle_deadline.reset();
      work_seen(life, now);
      step.actions.push_back(LifeAction::look_for_work);
      break;
    case LifeEvent::blocked:
    case LifeEvent::stalled:
      life.state = event == LifeEvent::blocked ? AgentState::blocked : AgentState::stalled;
      life.idle_deadline.reset();
      break;
    case LifeEvent::heartbeat:
      break;  // it neither works nor wants to be waited for
    case LifeEvent::work_arrived:
      if (is_idle(life.state) || life.state == AgentState::draining) step.actions.push_back(LifeAction::look_for_work);
      break;
    case LifeEvent::found_work:
      life.idle_deadline.reset();
      break;
    case LifeEvent::found_nothing:
      if (!is_idle(life.state) && life.state != AgentState::draining) break;
      if (!may_idle_out(life, rules)) break;
      if (!life.idle_deadline) life.idle_deadline = now + idle_timeout(life, rules);
      if (*life.idle_deadline > now) break;
      life.state = AgentState::exited;
      life.idle_deadline.reset();
      step.actions.push_back(LifeAction::stop);
      break;
    case LifeEvent::told_to_drain:
      life.draining = true;
      if (is_idle(life.state)) {
        life.state = AgentState::draining;
        if (may_idle_out(life, rules)) life.idle_deadline = now + idle_timeout(life, rules);
        step.actions.push_back(LifeAction::look_for_work);
      }
      break;
    case LifeEvent::tick:
      // One more look before the end: what came in the last moment is not left behind.
      if (life.idle_deadline && *life.idle_deadline <= now) step.actions.push_back(LifeAction::look_for_work);
      climb(life, step.actions, now, rules);
      break;
    case LifeEvent::ended:
      life.state = AgentState::exited;
      life.idle_deadline.reset();
      life.tool_running = false;
      break;
  }
  return step;
}

std::optional<AwakeTime> next_tick(const Life& life, const LifeRules& rules) {
  std::optional<AwakeTime> next = life.idle_deadline;
  auto sooner = [&](AwakeTime at) {
    if (!next || at < *next) next = at;
  };
  if (!is_watched(life, rules)) return next;
  sooner(life.active_at + rules.gupp.stop);
  if (life.warned < 2) sooner(life.active_at + rules.gupp.escalate);
  sooner(life.warned_at ? *life.warned_at + kWarnAgain : life.active_at + rules.gupp.warn);
  return next;
}

}  // namespace townpost
