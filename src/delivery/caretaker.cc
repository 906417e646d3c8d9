#include "delivery/caretaker.h"

#include <algorithm>

#include "base/text.h"
#include "delivery/first_screen.h"
#include "post/rules/mail_wake.h"
#include "post/values/session_uri.h"
#include "post/values/shell_words.h"

namespace townpost {

namespace {

constexpr Millis kBeat = std::chrono::seconds(30);
constexpr Millis kSafetyNet = std::chrono::minutes(1);
constexpr Millis kTellBlocked = std::chrono::seconds(60);
constexpr Millis kSilentTurn = std::chrono::minutes(2);
constexpr Millis kSilentDialog = std::chrono::seconds(5);
constexpr Millis kFirstLook = std::chrono::seconds(5);
constexpr Millis kFirstLists = std::chrono::minutes(2);
constexpr Millis kLongDraft = std::chrono::minutes(2);
constexpr Millis kTellOfDraft = std::chrono::minutes(1);
constexpr int kStartsPerHour = 3;

}  // namespace

Result<> Caretaker::tell_if_blocked(const Charge& charge) {
  const Instant now = town_.clock.now();
  const bool stalled = charge.presence.state == AgentState::stalled;
  const bool blocked = stalled || charge.presence.state == AgentState::blocked;
  if (!blocked && !charge.care.blocked_told_at) return {};
  if (blocked && (charge.care.blocked_told_at || now - charge.presence.since < kTellBlocked)) {
    if (!charge.care.blocked_told_at) come_again(charge.presence.since + kTellBlocked);
    return {};
  }
  return write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    TRY(care, ledger.care(charge.agent.id));
    care.blocked_told_at = blocked ? std::optional(now) : std::nullopt;
    TRY_VOID(ledger.set_care(care));
    if (!blocked) return {};
    TRY_VOID(
        posting.store({.to = Address::human(),
                       .subject = cat(charge.agent.address.str(), stalled ? " is stalled: its model does not answer"
                                                                          : " is blocked and waits for you"),
                       .body = cat(charge.presence.detail,
                                   "\nIts session: ", for_prompt(shown_session(charge.presence.session), 200), "\n"),
                       .thread = "",
                       .priority = Priority::high}));
    return {};
  });
}

Result<> Caretaker::climb_ladder(Charge& charge) {
  const std::string bead = charge.care.holds.bead();
  if (bead.empty() || charge.presence.state == AgentState::unknown) return {};
  const LifeRules rules{.policy = town_.settings.policy(charge.agent.address.role()),
                        .gupp = town_.settings.gupp,
                        .supervised = false,
                        .has_work = true};
  Life life{.state = charge.presence.state,
            .active_at = charge.presence.active_at,
            .tool_running = charge.presence.tool_running,
            .warned = charge.care.warned,
            .warned_at = charge.care.warned_at};
  // A sign of work since the last warning begins the ladder anew.
  if (life.warned_at && charge.presence.active_at > *life.warned_at) {
    life.warned = 0;
    life.warned_at.reset();
  }
  TRY(watch, read_value(town_.store, [](Ledger& ledger) { return ledger.watch(); }));
  const AwakeTime awake = watch.at(town_.clock.now());
  const auto step = advance(life, LifeEvent::tick, awake, rules);
  if (const auto tick = next_tick(step.life, rules))
    come_again(town_.clock.now() + std::max(*tick - awake, Millis(1000)));
  if (step.actions.empty() && step.life.warned == charge.care.warned && step.life.warned_at == charge.care.warned_at)
    return {};
  const auto minutes = (awake - life.active_at).count() / 60'000;
  const bool can_stop = starter_.can_stop(charge.agent);
  const auto& who = charge.agent.address.str();
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    TRY(care, ledger.care(charge.agent.id));
    care.warned = step.life.warned;
    care.warned_at = step.life.warned_at;
    TRY_VOID(ledger.set_care(care));
    for (const auto action : step.actions) {
      if (action == LifeAction::escalate || action == LifeAction::force_stop)
        TRY_VOID(posting.store(
            {.to = town_.settings.escalation,
             .subject = cat(who, action == LifeAction::escalate ? " is silent with work on its hook"
                                 : can_stop                     ? " was stopped"
                                                                : " is given up: no supervisor here can stop it"),
             .body = cat("No sign of work for ", minutes, " minutes; on its hook: ", in_quotes(bead, 80), "\n"),
             .thread = "",
             .type = MessageType::escalation,
             .priority = Priority::high}));
    }
    if (std::find(step.actions.begin(), step.actions.end(), LifeAction::force_stop) == step.actions.end()) return {};
    charge.presence.state = AgentState::dead;
    charge.presence.since = town_.clock.now();
    charge.presence.detail = "silent for too long with work on its hook";
    return ledger.set_presence(charge.presence);
  }));
  for (const auto action : step.actions) {
    if (action == LifeAction::warn)
      TRY_VOID(Nudges(town_).send(
          {.to = {who},
           .text = cat("You have ", in_quotes(bead, 80), " on your hook and showed no sign of work for ", minutes,
                       " minutes. Continue, or say what stops you: ",
                       typed(ShellCommand::send_mail, town_.settings.escalation.str())),
           .mode = NudgeMode::immediate,
           .coalesce_key = "gupp"},
          {Address::system(), Grade::env}));
    if (action == LifeAction::force_stop) {
      files_.write(charge.presence);
      if (can_stop) starter_.stop(charge.agent);
    }
  }
  return {};
}

Result<> Caretaker::start_if_wanted(const Charge& charge) {
  const auto& agent = charge.agent;
  if (!charge.waits || agent.start_command.empty() || agent.start_on == StartOn::never) return {};
  const bool there = charge.presence.state != AgentState::unknown && !is_over(charge.presence.state);
  if (there || charge.presence.state == AgentState::dead) return {};
  const Instant now = town_.clock.now();
  TRY(watch, read_value(town_.store, [](Ledger& ledger) { return ledger.watch(); }));
  if (watch.held(now) || charge.care.held(now)) return {};
  TRY(nudges, read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(agent.id); }));
  const bool for_it = std::any_of(nudges.begin(), nudges.end(), [&](const Nudge& nudge) {
    return nudge.deliver_after <= now && nudge.held_by.empty() && nudge.mode != NudgeMode::queue &&
           (nudge.forced || !charge.care.dnd(now)) &&
           (nudge.kind != NudgeKind::mail || agent.start_on == StartOn::mail);
  });
  if (!for_it) return {};
  bool may = false;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {  // noted first: two at once start one
    TRY(starts, ledger.events_about(agent.id, EventKind::started, {now - std::chrono::hours(1), now}, kStartsPerHour));
    const bool just_now = !starts.empty() && now - starts.front().at < std::chrono::seconds(30);
    may = static_cast<int>(starts.size()) < kStartsPerHour && !just_now;
    if (!may) return {};
    return ledger.add_event(
        {.at = now, .kind = EventKind::started, .agent = agent.id, .detail = "for what waits for it"});
  }));
  if (!may) return {};
  const auto& session = charge.presence.incarnation;
  const bool resume = is_over(charge.presence.state) && !agent.resume_command.empty() && is_session_id(session);
  return starter_.start(agent, resume ? agent.resume_command : agent.start_command, resume ? session : std::string());
}

std::string Caretaker::terminal_of(const Agent& agent, const Presence& presence) {
  if (!agent.session.empty()) return agent.session;
  if (!presence.session.empty() || !presence.host.empty()) return {};
  const auto rig =
      std::find_if(rigs_.begin(), rigs_.end(), [&](const Rig& one) { return one.name == agent.address.rig(); });
  return doors_.find(agent.address, rig == rigs_.end() ? std::string() : rig->prefix);
}

std::string Caretaker::server_of(const Agent& agent, const Presence& presence) {
  const auto& uri = agent.session.empty() ? presence.session : agent.session;
  return uri.starts_with("opencode:") && !presence.supervised ? uri : std::string();
}

bool Caretaker::can_be_glanced_at(const Agent& agent, const Presence& presence) const {
  return is_ours(presence) && (presence.state == AgentState::unknown || !server_of(agent, presence).empty() ||
                               (presence.pid > 0 && !is_over(presence.state)));
}

bool Caretaker::is_to_be_looked_after(const Agent& agent, const Presence& presence) {
  if (!can_be_glanced_at(agent, presence)) return false;
  if (presence.pid > 0 && !is_over(presence.state) && !starter_.is_alive(presence)) return true;
  if (!server_of(agent, presence).empty()) return true;
  return presence.state == AgentState::unknown && terminal_of(agent, presence).starts_with("tmux:");
}

void Caretaker::forget(AgentId agent) {
  looked_at_.erase(agent);
  draft_told_.erase(agent);
  seen_busy_.erase(agent);
}

bool Caretaker::is_time_to_look(AgentId agent) {
  auto& looked_at = looked_at_[agent];
  if (town_.clock.now() - looked_at < kBeat) return false;
  looked_at = town_.clock.now();
  return true;
}

/// An agent that is unknown may sit in the terminal that was named for it, or in one that has its name. Then it is told
/// what came before, too.
Result<> Caretaker::greet_if_there(Charge& charge) {
  if (charge.presence.state != AgentState::unknown || !is_time_to_look(charge.agent.id)) return {};
  const std::string uri = terminal_of(charge.agent, charge.presence);
  if (!uri.starts_with("tmux:")) return {};
  Courier(town_, doors_, host_).look(charge.agent, charge.presence, uri);
  const auto noted = files_.read(charge.agent.id);
  if (!noted) return {};
  charge.presence = *noted;
  if (noted->state == AgentState::unknown) return {};  // nobody is there who could be told
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(watch, ledger.watch());
    charge.presence.active_at = watch.at(town_.clock.now());
    TRY_VOID(ledger.set_presence(charge.presence));
    if (is_over(charge.presence.state)) return {};
    TRY(unread, ledger.list({.mailbox = charge.agent.id, .shelf = Shelf::offered, .parts = Parts::headers}));
    for (const auto& mail : unread)
      if (!mail.delivery->announced_at && mail.delivery->held_by.empty())
        TRY_VOID(raise_for_mail(town_, ledger, mail.message, charge.agent, std::nullopt));
    TRY(line, ledger.pending_nudges(charge.agent.id));
    charge.waits = !line.empty();
    return {};
  }));
  return {};
}

void Caretaker::tell_of_draft(const Charge& charge) {
  const Instant now = town_.clock.now();
  const auto newest = files_.read(charge.agent.id);
  if (!newest || newest->draft_since.ms == 0) {
    draft_told_.erase(charge.agent.id);
    return;
  }
  if (now - newest->draft_since < kLongDraft) return come_again(newest->draft_since + kLongDraft);
  auto& told_at = draft_told_[charge.agent.id];
  if (now - told_at < kTellOfDraft) return;
  told_at = now;
  const auto& uri = newest->session.empty() ? charge.agent.session : newest->session;
  if (auto session = doors_.open(uri, charge.agent, *newest))
    (*session)->tell_people(
        cat("Townpost: something waits for ", charge.agent.address.str(), " until your draft is sent or cleared"));
}

/// A turn that was interrupted, or a dialog that was left with Escape, sends no event: its screen tells.
void Caretaker::see_silent_end(Charge& charge) {
  Presence& presence = charge.presence;
  if (!presence.harness.is(Harness::Kind::hooked) || !presence.session.starts_with("tmux:")) return;
  const Instant now = town_.clock.now();
  const Millis silent = now - presence.last_activity;
  const bool may_be_over = (presence.state == AgentState::running && silent > kSilentTurn) ||
                           (presence.state == AgentState::blocked && silent > kSilentDialog);
  if (presence.state == AgentState::running)
    come_again(std::max(presence.last_activity + kSilentTurn + Millis(1), now + (may_be_over ? kBeat : Millis(0))));
  if (presence.state == AgentState::blocked) come_again(now + (charge.waits ? kSilentDialog : kBeat));
  if (!may_be_over || !(charge.waits || is_time_to_look(charge.agent.id))) return;
  auto session = doors_.open(presence.session, charge.agent, presence);
  if (!session || (*session)->look().state != SessionState::idle) return;
  presence.state = AgentState::idle;
  presence.since = now;
  files_.write(presence);
}

/// A list that a harness shows before its first turn sends no event. Soon after the start it is looked for, whatever
/// waits, so that a person is told of it; later only where something waits.
void Caretaker::see_first_list(Charge& charge) {
  Presence& presence = charge.presence;
  if (!may_show_first_list(charge.agent, presence)) return;
  const Instant now = town_.clock.now();
  if (now - presence.started_at < kFirstLook) return come_again(presence.started_at + kFirstLook);
  if (!charge.waits && now - presence.started_at > kFirstLists) return;
  if (auto seen = look_at_first_screen(town_, doors_, charge.agent, presence, host_)) presence = std::move(*seen);
  if (may_show_first_list(charge.agent, presence)) come_again(now + kBeat);
}

/// Events tell what changes; how it was before, and that a server is gone, only a look does.
void Caretaker::look_at_server(const Charge& charge) {
  const auto uri = server_of(charge.agent, charge.presence);
  if (uri.empty() || !is_time_to_look(charge.agent.id)) return;
  Courier(town_, doors_, host_).look(charge.agent, charge.presence, uri);
}

Result<> Caretaker::bring_what_waits(const Charge& charge) {
  const bool was_busy = seen_busy_.contains(charge.agent.id);
  TRY(report, Courier(town_, doors_, host_)
                  .deliver(charge.agent.id, was_busy ? Courier::Before::busy : Courier::Before::unknown));
  if (report.busy)
    seen_busy_.insert(charge.agent.id);
  else
    seen_busy_.erase(charge.agent.id);
  if (report.look_again_at) come_again(*report.look_again_at);
  tell_of_draft(charge);
  return {};
}

Result<Instant> Caretaker::look_after(Charge& charge) {
  next_ = town_.clock.now() + kSafetyNet;
  look_at_server(charge);
  TRY_VOID(greet_if_there(charge));
  see_first_list(charge);
  TRY_VOID(tell_if_blocked(charge));
  TRY_VOID(climb_ladder(charge));
  TRY_VOID(start_if_wanted(charge));
  see_silent_end(charge);
  if (charge.waits) {
    come_again(town_.clock.now() + kBeat);  // what holds it back may end without a ring
    TRY_VOID(bring_what_waits(charge));
  } else {
    seen_busy_.erase(charge.agent.id);
  }
  // No busy loop: what is due now was tried now.
  return std::max(next_, town_.clock.now() + Millis(1000));
}

}  // namespace townpost
