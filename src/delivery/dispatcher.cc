#include "delivery/dispatcher.h"

#include <algorithm>

#include "base/text.h"
#include "delivery/claude/transcript.h"
#include "post/rules/mail_wake.h"
#include "post/town/presences.h"
#include "post/values/session_uri.h"

namespace townpost {

namespace {

constexpr Millis kBeat = std::chrono::seconds(30);  // half of what counts as sleep
constexpr Millis kTellBlocked = std::chrono::seconds(60);
constexpr Millis kSilentTurn = std::chrono::minutes(2);
constexpr Millis kSilentDialog = std::chrono::seconds(5);
constexpr Millis kLongDraft = std::chrono::minutes(2);
constexpr Millis kTellOfDraft = std::chrono::minutes(1);
constexpr int kStartsPerHour = 3;

}  // namespace

Dispatcher::Dispatcher(Town& town, SessionDoors& doors, Starter& starter, std::string host)
    : town_(town),
      doors_(doors),
      starter_(starter),
      host_(std::move(host)),
      files_(town.folder),
      presences_(files_.folder()) {}

Result<std::vector<Dispatcher::Known>> Dispatcher::fold_presences() {
  std::vector<Known> out;
  std::vector<Presence> ended;
  std::vector<Presence> changed;
  const Instant now = town_.clock.now();
  TRY_VOID(town_.store.read([&](Ledger& ledger) -> Result<> {
    out.clear();
    ended.clear();
    changed.clear();
    TRY(watch, ledger.watch());
    const AwakeTime awake = watch.at(now);
    TRY(agents, ledger.agents());
    TRY(waiting, ledger.agents_with_nudges());
    for (const auto& agent : agents) {
      TRY(stored, ledger.presence(agent.id));
      TRY(care, ledger.care(agent.id));
      TRY(newest, newest_presence(town_, ledger, agent.id));
      Presence presence = newest.value_or(Presence{.agent = agent.id});
      // Hooks and the registry note when by the clock, not by the town's own time.
      const bool counted =
          stored && stored->active_at != AwakeTime{} && stored->last_activity == presence.last_activity;
      presence.active_at = counted ? stored->active_at : awake;
      const bool ours = presence.host.empty() || presence.host == host_;
      if (ours && presence.pid > 0 && !is_over(presence.state) && !starter_.is_alive(presence)) {
        presence.state = AgentState::exited;
        presence.since = now;
        presence.detail = "its process is gone";
        ended.push_back(presence);
      }
      Presence to_store = presence;
      to_store.draft_since = {};  // that stays in the file
      if (presence.state != AgentState::unknown && (!stored || *stored != to_store)) changed.push_back(to_store);
      const bool waits = std::find(waiting.begin(), waiting.end(), agent.id) != waiting.end();
      if (ours) out.push_back({agent, presence, care, waits});
    }
    return {};
  }));
  if (!changed.empty())
    TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
      for (const auto& presence : changed) TRY_VOID(ledger.set_presence(presence));
      return {};
    }));
  for (const auto& presence : ended) {
    files_.write(presence);
    TRY_VOID(Nudges(town_).settle(
        presence.agent, presence.incarnation, Nudges::Since::new_session,
        [&](std::string_view id) { return transcript_shows(presence.transcript, id); }, "the end of its process"));
  }
  return out;
}

void Dispatcher::hear_servers() {
  for (const auto& [agent, event] : servers_.read()) {
    auto presence = files_.read(agent);
    if (!presence || event.kind == SessionEvent::Kind::alive || event.kind == SessionEvent::Kind::shown) continue;
    const Instant now = town_.clock.now();
    const auto before = presence->state;
    switch (event.kind) {
      case SessionEvent::Kind::busy:
      case SessionEvent::Kind::resumed:
        presence->state = AgentState::running;
        break;
      case SessionEvent::Kind::idle:
        presence->state = AgentState::idle;
        break;
      case SessionEvent::Kind::blocked:
        presence->state = AgentState::blocked;
        break;
      case SessionEvent::Kind::stalled:
        presence->state = AgentState::stalled;
        break;
      default:
        presence->state = AgentState::exited;
        break;
    }
    presence->detail = in_its_words(event.detail);
    presence->last_activity = now;
    if (before != presence->state) presence->since = now;
    files_.write(*presence);
  }
}

Result<> Dispatcher::tell_if_blocked(Known& known) {
  const Instant now = town_.clock.now();
  const bool stalled = known.presence.state == AgentState::stalled;
  const bool blocked = stalled || known.presence.state == AgentState::blocked;
  if (!blocked && !known.care.blocked_told_at) return {};
  if (blocked && (known.care.blocked_told_at || now - known.presence.since < kTellBlocked)) {
    if (!known.care.blocked_told_at) come_again(known.presence.since + kTellBlocked);
    return {};
  }
  return write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    TRY(care, ledger.care(known.agent.id));
    care.blocked_told_at = blocked ? std::optional(now) : std::nullopt;
    TRY_VOID(ledger.set_care(care));
    if (!blocked) return {};
    TRY_VOID(posting.store({.to = Address::human(),
                            .subject = cat(known.agent.address.str(), stalled ? " is stalled: its model does not answer"
                                                                              : " is blocked and waits for you"),
                            .body = cat(known.presence.detail, "\nIts session: ",
                                        for_prompt(shown_session(known.presence.session), 200), "\n"),
                            .thread = "",
                            .priority = Priority::high}));
    return {};
  });
}

Result<> Dispatcher::climb_ladder(Known& known) {
  if (known.care.hook.empty() || known.care.hook == "-" || known.presence.state == AgentState::unknown) return {};
  const LifeRules rules{.policy = town_.settings.policy(known.agent.address.role()),
                        .gupp = town_.settings.gupp,
                        .supervised = false,
                        .has_work = true};
  Life life{.state = known.presence.state,
            .active_at = known.presence.active_at,
            .tool_running = known.presence.tool_running,
            .warned = known.care.warned,
            .warned_at = known.care.warned_at};
  // A sign of work since the last warning begins the ladder anew.
  if (life.warned_at && known.presence.active_at > *life.warned_at) {
    life.warned = 0;
    life.warned_at.reset();
  }
  TRY(watch, read_value(town_.store, [](Ledger& ledger) { return ledger.watch(); }));
  const AwakeTime awake = watch.at(town_.clock.now());
  const auto step = advance(life, LifeEvent::tick, awake, rules);
  if (const auto tick = next_tick(step.life, rules))
    come_again(town_.clock.now() + std::max(*tick - awake, Millis(1000)));
  if (step.actions.empty() && step.life.warned == known.care.warned && step.life.warned_at == known.care.warned_at)
    return {};
  const auto minutes = (awake - life.active_at).count() / 60'000;
  const bool can_stop = starter_.can_stop(known.agent);
  const auto& who = known.agent.address.str();
  TRY_VOID(write_with_duties(town_, [&](Ledger& ledger, Posting& posting) -> Result<> {
    TRY(care, ledger.care(known.agent.id));
    care.warned = step.life.warned;
    care.warned_at = step.life.warned_at;
    TRY_VOID(ledger.set_care(care));
    for (const auto action : step.actions) {
      if (action == LifeAction::escalate || action == LifeAction::force_stop)
        TRY_VOID(posting.store({.to = town_.settings.escalation,
                                .subject = cat(who, action == LifeAction::escalate ? " is silent with work on its hook"
                                                    : can_stop                     ? " was stopped"
                                                               : " is given up: no gt agent run here can stop it"),
                                .body = cat("No sign of work for ", minutes,
                                            " minutes; on its hook: ", in_quotes(known.care.hook, 80), "\n"),
                                .thread = "",
                                .type = MessageType::escalation,
                                .priority = Priority::high}));
    }
    if (std::find(step.actions.begin(), step.actions.end(), LifeAction::force_stop) == step.actions.end()) return {};
    known.presence.state = AgentState::dead;
    known.presence.since = town_.clock.now();
    known.presence.detail = "silent for too long with work on its hook";
    return ledger.set_presence(known.presence);
  }));
  for (const auto action : step.actions) {
    if (action == LifeAction::warn)
      TRY_VOID(Nudges(town_).send(
          {.to = {who},
           .text = cat("You have ", in_quotes(known.care.hook, 80), " on your hook and showed no sign of work for ",
                       minutes, " minutes. Go on, or say what stops you: gt mail send ",
                       town_.settings.escalation.str(), " ..."),
           .mode = NudgeMode::immediate,
           .coalesce_key = "gupp"},
          {Address::system(), Grade::env}));
    if (action == LifeAction::force_stop) {
      files_.write(known.presence);
      if (can_stop) starter_.stop(known.agent);
    }
  }
  return {};
}

Result<> Dispatcher::start_if_wanted(const Known& known) {
  const auto& agent = known.agent;
  if (!known.waits || agent.start_command.empty() || agent.start_on == StartOn::never) return {};
  const bool there = known.presence.state != AgentState::unknown && !is_over(known.presence.state);
  if (there || known.presence.state == AgentState::dead) return {};
  const Instant now = town_.clock.now();
  TRY(watch, read_value(town_.store, [](Ledger& ledger) { return ledger.watch(); }));
  if (watch.held(now) || known.care.held(now)) return {};
  TRY(nudges, read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(agent.id); }));
  const bool for_it = std::any_of(nudges.begin(), nudges.end(), [&](const Nudge& nudge) {
    return nudge.deliver_after <= now && nudge.held_by.empty() && nudge.mode != NudgeMode::queue &&
           (nudge.forced || !known.care.dnd(now)) && (nudge.kind == NudgeKind::text || agent.start_on == StartOn::mail);
  });
  if (!for_it) return {};
  bool may = false;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {  // noted first: two at once start one
    TRY(starts, ledger.events_about(agent.id, "started", {now - std::chrono::hours(1), now}, kStartsPerHour));
    const bool just_now = !starts.empty() && now - starts.front().at < std::chrono::seconds(30);
    may = static_cast<int>(starts.size()) < kStartsPerHour && !just_now;
    if (!may) return {};
    return ledger.add_event({.at = now, .kind = "started", .agent = agent.id, .detail = "for what waits for it"});
  }));
  if (!may) return {};
  const auto& session = known.presence.incarnation;
  const bool resume = is_over(known.presence.state) && !agent.resume_command.empty() && is_session_id(session);
  return starter_.start(agent, resume ? agent.resume_command : agent.start_command, resume ? session : std::string());
}

bool Dispatcher::is_time_to_look(AgentId agent) {
  auto& looked_at = looked_at_[agent];
  if (town_.clock.now() - looked_at < kBeat) return false;
  looked_at = town_.clock.now();
  return true;
}

/// Somebody of whom nothing is known may sit in the terminal that was named for it, or in one that has its name. Then
/// it is told what came before, too.
Result<> Dispatcher::greet_if_there(Known& known) {
  if (known.presence.state != AgentState::unknown || !is_time_to_look(known.agent.id)) return {};
  std::string uri = known.agent.session;
  if (uri.empty()) {
    if (!known.presence.session.empty() || !known.presence.host.empty()) return {};
    TRY(rigs, read_value(town_.store, [](Ledger& ledger) { return ledger.rigs(); }));
    const auto rig =
        std::find_if(rigs.begin(), rigs.end(), [&](const Rig& one) { return one.name == known.agent.address.rig(); });
    uri = doors_.find(known.agent.address, rig == rigs.end() ? std::string() : rig->prefix);
  }
  if (!uri.starts_with("tmux:")) return {};
  Courier(town_, doors_, host_).look(known.agent, known.presence, uri);
  const auto noted = files_.read(known.agent.id);
  if (!noted) return {};
  known.presence = *noted;
  if (noted->state == AgentState::unknown) return {};  // nobody is there who could be told
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(watch, ledger.watch());
    known.presence.active_at = watch.at(town_.clock.now());
    TRY_VOID(ledger.set_presence(known.presence));
    if (is_over(known.presence.state)) return {};
    TRY(unread, ledger.list({.mailbox = known.agent.id, .shelf = Shelf::offered, .parts = Parts::headers}));
    for (const auto& mail : unread)
      if (!mail.delivery->announced_at && mail.delivery->held_by.empty())
        TRY_VOID(raise_for_mail(town_, ledger, mail.message, known.agent, std::nullopt));
    TRY(line, ledger.pending_nudges(known.agent.id));
    known.waits = !line.empty();
    return {};
  }));
  return {};
}

void Dispatcher::tell_of_draft(const Known& known) {
  const Instant now = town_.clock.now();
  const auto newest = files_.read(known.agent.id);
  if (!newest || newest->draft_since.ms == 0) {
    draft_told_.erase(known.agent.id);
    return;
  }
  if (now - newest->draft_since < kLongDraft) return come_again(newest->draft_since + kLongDraft);
  auto& told_at = draft_told_[known.agent.id];
  if (now - told_at < kTellOfDraft) return;
  told_at = now;
  const auto& uri = newest->session.empty() ? known.agent.session : newest->session;
  if (auto session = doors_.open(uri, known.agent, *newest))
    (*session)->tell_people(
        cat("Townpost: something waits for ", known.agent.address.str(), " until your draft is sent or taken away"));
}

/// A turn that was interrupted, or a dialog that was left with Escape, sends no event: its screen tells.
void Dispatcher::see_silent_end(Known& known) {
  Presence& presence = known.presence;
  if (presence.harness != "claude" || !presence.session.starts_with("tmux:")) return;
  const Instant now = town_.clock.now();
  const Millis silent = now - presence.last_activity;
  const bool may_be_over = (presence.state == AgentState::running && silent > kSilentTurn) ||
                           (presence.state == AgentState::blocked && silent > kSilentDialog);
  if (presence.state == AgentState::blocked && known.waits) come_again(now + kSilentDialog);
  if (!may_be_over || !(known.waits || is_time_to_look(known.agent.id))) return;
  auto session = doors_.open(presence.session, known.agent, presence);
  if (!session || (*session)->look().state != SessionState::idle) return;
  presence.state = AgentState::idle;
  presence.since = now;
  files_.write(presence);
}

Result<> Dispatcher::look_after(Known& known) {
  TRY_VOID(greet_if_there(known));
  TRY_VOID(tell_if_blocked(known));
  TRY_VOID(climb_ladder(known));
  TRY_VOID(start_if_wanted(known));
  see_silent_end(known);
  if (!known.waits) {
    seen_busy_.erase(known.agent.id);
    return {};
  }
  const bool was_busy = seen_busy_.contains(known.agent.id);
  auto report = Courier(town_, doors_, host_)
                    .deliver(known.agent.id, was_busy ? Courier::Before::busy : Courier::Before::unknown);
  if (!report) return Failure(report.error());
  if (report->busy)
    seen_busy_.insert(known.agent.id);
  else
    seen_busy_.erase(known.agent.id);
  if (report->look_again_at) come_again(*report->look_again_at);
  tell_of_draft(known);
  return {};
}

Result<Instant> Dispatcher::round() {
  next_ = town_.clock.now() + kBeat;
  presences_.drain();
  hear_servers();
  TRY(deadline, Nudges(town_).tend());
  if (deadline) come_again(*deadline);
  TRY(everybody, fold_presences());
  std::vector<std::pair<AgentId, OpencodeAddress>> at_servers;
  for (const auto& known : everybody) {
    const auto& uri = known.agent.session.empty() ? known.presence.session : known.agent.session;
    if (!uri.starts_with("opencode:") || known.presence.supervised) continue;
    if (auto address = OpencodeAddress::parse(uri)) at_servers.emplace_back(known.agent.id, *address);
    // Events tell what changes; how it was before, and that a server is gone, only a look does.
    if (!is_time_to_look(known.agent.id)) continue;
    Courier(town_, doors_, host_).look(known.agent, known.presence, uri);
  }
  servers_.follow(at_servers);
  std::optional<Error> trouble;  // of one agent: the others are served nevertheless
  for (auto& known : everybody)
    if (auto done = look_after(known); !done && !trouble) trouble = done.error();
  if (trouble) return fail(std::move(*trouble));
  // No busy loop: what is due now was tried now.
  return std::max(next_, town_.clock.now() + Millis(1000));
}

void Dispatcher::wait_until(Instant at, int another) {
  auto also = servers_.descriptors();
  also.push_back(another);
  also.push_back(presences_.fd());
  constexpr Millis kDeafLook = std::chrono::seconds(1);
  const Millis longest = std::max(at - town_.clock.now(), Millis(0));
  town_.bell.wait_for_any(also, presences_.fd() >= 0 ? longest : std::min(longest, kDeafLook));
}

}  // namespace townpost
