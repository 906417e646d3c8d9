#include "delivery/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/shown.h"
#include "base/text.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/orphans.h"
#include "delivery/system_starter.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 4> kAdapters = {"terminal", "stream", "lines", "opencode"};
constexpr Millis kTimeToEnd = std::chrono::seconds(10);
constexpr Millis kLongestWait = std::chrono::seconds(30);
constexpr Millis kStoreTrouble = std::chrono::seconds(5);
constexpr Millis kSoon = std::chrono::seconds(1);
constexpr Millis kListenAgain = std::chrono::seconds(5);

bool has_word(const std::vector<std::string>& command, std::string_view word) {
  return std::find(command.begin(), command.end(), word) != command.end();
}

/// The address in a line such as "opencode server listening on http://127.0.0.1:4096".
std::optional<std::string> listening_at(std::string_view output) {
  const auto at = output.find("http://");
  if (at == std::string_view::npos) return std::nullopt;
  const auto end = output.find_first_of(" \t\r\n", at);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(output.substr(at, end - at));
}

}  // namespace

std::string_view name(Adapter adapter) { return kAdapters[static_cast<std::size_t>(adapter)]; }

std::optional<Adapter> find_adapter(std::string_view name) {
  if (name == "claude" || name == "tmux" || name == "pty") return Adapter::terminal;
  for (std::size_t i = 0; i < kAdapters.size(); ++i)
    if (kAdapters[i] == name) return static_cast<Adapter>(i);
  return std::nullopt;
}

Adapter adapter_of(const std::vector<std::string>& command) {
  if (has_word(command, "stream-json")) return Adapter::stream;
  const auto program = command.empty() ? std::string() : std::filesystem::path(command.front()).filename().string();
  if ((program == "opencode" || program == "kilo") && has_word(command, "serve")) return Adapter::opencode;
  return Adapter::terminal;
}

RolePolicy policy_under(const SupervisorPlan& plan, RolePolicy of_role) {
  if (plan.idle_timeout) {
    of_role.idle_timeout = *plan.idle_timeout;
    of_role.exits_on_idle = *plan.idle_timeout > Millis(0);
  } else if (plan.used_by_person && !of_role.asked_to_exit) {
    of_role.exits_on_idle = false;
  }
  return of_role;
}

Supervisor::Supervisor(Town& town, const Agent& agent, SupervisorPlan plan, std::string host)
    : town_(town), agent_(agent), plan_(std::move(plan)), host_(std::move(host)), files_(town.folder) {
  watch_.watched_at = town.clock.now();
  rules_.policy = policy_under(plan_, town_.settings.policy(agent.address.role()));
  rules_.supervised = true;
}

AwakeTime Supervisor::awake() {
  const Instant now = town_.clock.now();
  watch_.awake = watch_.at(now);
  watch_.watched_at = now;
  return watch_.awake;
}

void Supervisor::tell_presence() {
  const Instant now = town_.clock.now();
  if (plan_.adapter == Adapter::terminal) {  // its hooks know better, while they speak
    const auto newest = files_.read(agent_.id);
    if (newest && newest->harness.is(Harness::Kind::hooked) && newest->pid != 0 &&
        newest->started_at >= presence_.started_at) {
      if (!is_over(life_.state) && newest->supervised) return;
      auto own = *newest;
      own.supervised = true;
      if (is_over(life_.state) && own.state != life_.state) {
        own.state = life_.state;
        own.since = now;
      }
      files_.write(own);
      return;
    }
  }
  if (presence_.state != life_.state) presence_.since = now;
  presence_.state = life_.state;
  presence_.last_activity = now;
  files_.write(presence_);
}

Result<> Supervisor::begin() {
  const Instant now = town_.clock.now();
  ChildPlan plan{.command = plan_.command, .environment = identity_of(agent_, town_.folder)};
  plan.fate = SpawnPlan::Fate::ours;  // nobody would keep it available, or know that it runs
  plan.environment.emplace_back(kRunVariable, run_mark(town_, agent_.id));  // what it wraps may not share it
  if (plan_.adapter == Adapter::terminal)                                   // it is in our pane, if we are in one
    std::erase_if(plan.environment, [](const auto& entry) { return entry.first.starts_with("TMUX"); });
  if (plan_.adapter != Adapter::terminal) plan.ends = ChildPlan::Ends::pipes;
  TRY(child, Child::start(plan));
  child_.emplace(std::move(child));
  presence_ = {.agent = agent_.id,
               .state = AgentState::starting,
               .incarnation = process_name(child_->pid()),
               .harness = plan_.adapter == Adapter::opencode   ? Harness::of_word("opencode")
                          : plan_.adapter == Adapter::terminal ? Harness::terminal()
                                                               : Harness::stream(),
               .host = host_,
               .pid = child_->pid(),
               .started_at = now,
               .since = now,
               .last_activity = now,
               .process = process_name(child_->pid()),
               .supervised = true};
  if (plan_.adapter == Adapter::stream || plan_.adapter == Adapter::lines) {
    const auto dialect = plan_.adapter == Adapter::stream ? StreamDialect::claude : StreamDialect::lines;
    lines_.emplace(dialect);
    auto session = std::make_unique<StreamSession>(child_->input(), dialect);
    stream_ = session.get();
    session_ = std::move(session);
  }
  life_ = Life{.state = AgentState::starting, .active_at = awake()};
  tell_presence();
  TRY_VOID(town_.store.write([&](Ledger& ledger) { return ledger.set_presence(presence_); }));
  TRY_VOID(Nudges(town_).settle(agent_.id, presence_.incarnation, Nudges::Since::new_session, {}, "a new session"));
  // Claude Code waits for its first line; any other program says when it is idle.
  if (plan_.adapter == Adapter::stream) feel(LifeEvent::turn_ended);
  return {};
}

Result<> Supervisor::open_server(const std::string& url) {
  TRY(server, opencode_server(url));
  TRY_VOID(wait_until_opencode_is_ready(server, std::chrono::seconds(30)));
  TRY(session, create_opencode_session(server, agent_.address.str()));
  const OpencodeAddress address{server, session};
  presence_.session = cat("opencode:", server, "#", session);
  presence_.incarnation = session;
  session_ = std::make_unique<OpencodeSession>(address, town_.clock);
  servers_.follow({{agent_.id, address}});
  server_ = address;
  TRY_VOID(town_.store.write([&](Ledger& ledger) -> Result<> {
    TRY(agent, ledger.agent(agent_.id));
    if (!agent) return {};
    agent->session = presence_.session;
    TRY_VOID(ledger.update_agent(*agent));
    return ledger.set_presence(presence_);
  }));
  feel(LifeEvent::turn_ended);
  return {};
}

void Supervisor::hear(const SessionEvent& event) {
  if (!event.session.empty() && stream_ && presence_.incarnation != event.session) {
    presence_.incarnation = event.session;
    tell_presence();
  }
  if (stream_) stream_->take(event);
  switch (event.kind) {
    case SessionEvent::Kind::busy:
      if (life_.state != AgentState::running) feel(LifeEvent::turn_began);
      break;
    case SessionEvent::Kind::idle:
      feel(LifeEvent::turn_ended);
      break;
    case SessionEvent::Kind::blocked:
      presence_.detail = in_its_words(event.detail);
      feel(LifeEvent::blocked);
      break;
    case SessionEvent::Kind::resumed:
      feel(LifeEvent::resumed);
      break;
    case SessionEvent::Kind::stalled:
      presence_.detail = in_its_words(event.detail);
      feel(LifeEvent::stalled);
      break;
    case SessionEvent::Kind::ended:
      break;  // the end of its process counts
    case SessionEvent::Kind::shown:
    case SessionEvent::Kind::alive:
      feel(LifeEvent::heartbeat);
      break;
  }
  // Whatever it says proves that it has what it was given before.
  if (event.kind == SessionEvent::Kind::shown || event.kind == SessionEvent::Kind::idle)
    (void)Nudges(town_).settle(
        agent_.id, presence_.incarnation, Nudges::Since::next_event,
        [&](std::string_view id) { return session_ ? session_->shows(id) : std::nullopt; }, "its own word");
}

void Supervisor::hear_child() {
  std::array<char, 64 << 10> buffer{};
  while (true) {
    const auto got = ::read(child_->output(), buffer.data(), buffer.size());
    if (got == 0) output_ended_ = true;
    if (got <= 0) return;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    (void)!::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (lines_)
      for (const auto& event : lines_->feed(bytes)) hear(event);
    if (plan_.adapter != Adapter::opencode || session_) continue;
    unread_output_ += bytes;
    if (unread_output_.size() > (1u << 16)) unread_output_.erase(0, unread_output_.size() - (1u << 12));
    if (const auto url = listening_at(unread_output_)) {
      if (auto opened = open_server(*url); !opened) {
        const Shown line = Shown::line(cat("gt: ", opened.error().message));
        (void)!::write(STDERR_FILENO, line.bytes().data(), line.bytes().size());
        stop_child("its server cannot be reached");
      }
    }
  }
}

/// Events tell what changes. What happened while nobody heard them, or was never told, only a look shows.
void Supervisor::look_at_server() {
  if (!server_) return;
  const Instant now = town_.clock.now();
  const bool was_deaf = !servers_.hears_all();
  if (was_deaf && now >= listen_again_at_) {
    servers_.follow({{agent_.id, *server_}});
    listen_again_at_ = town_.clock.now() + kListenAgain;
  } else if (was_deaf || is_idle(life_.state) || now - server_seen_at_ < kLongestWait) {
    return;
  }
  server_seen_at_ = now;
  const auto look = session_->look();
  if (look.state == SessionState::busy && is_idle(life_.state)) feel(LifeEvent::turn_began);
  if (look.state == SessionState::idle && !is_idle(life_.state)) feel(LifeEvent::turn_ended);
}

/// An agent with our terminal is known by what its hooks note.
void Supervisor::hear_presence() {
  if (plan_.adapter != Adapter::terminal) return;
  const auto newest = files_.read(agent_.id);
  if (!newest || !newest->harness.is(Harness::Kind::hooked) || newest->started_at < presence_.started_at) return;
  if (!newest->supervised) tell_presence();
  if (is_idle(newest->state) && !is_idle(life_.state)) feel(LifeEvent::turn_ended);
  if (newest->state == AgentState::running && life_.state != AgentState::running) feel(LifeEvent::turn_began);
  if (newest->state == AgentState::blocked && life_.state != AgentState::blocked) feel(LifeEvent::blocked);
  if (newest->state == AgentState::stalled && life_.state != AgentState::stalled) feel(LifeEvent::stalled);
}

void Supervisor::feel(LifeEvent event) {
  const auto before = life_.state;
  auto step = advance(life_, event, awake(), rules_);
  life_ = step.life;
  if (before != life_.state || event == LifeEvent::turn_began) tell_presence();
  for (const auto action : step.actions) {
    if (event == LifeEvent::turn_ended && look_at_ != Boundary::start) look_at_ = Boundary::turn_end;
    act(action);
  }
}

void Supervisor::act(LifeAction action) {
  if (action == LifeAction::look_for_work) look_for_work();
  if (action == LifeAction::stop)
    stop_child(life_.draining ? "it was told to finish" : cat("it was idle for ", age(rules_.policy.idle_timeout)));
  if (action == LifeAction::force_stop) stop_child(cat("it had work and was silent for ", age(rules_.gupp.stop)));
}

void Supervisor::look_for_work() {
  look_again_at_.reset();
  Nudges nudges(town_);
  if (!session_) {  // its hooks take what is due; here it only counts whether something is
    const auto line = read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(agent_.id); });
    return feel(line && !line->empty() ? LifeEvent::found_work : LifeEvent::found_nothing);
  }
  const auto look = session_->look();
  if (look.state != SessionState::idle && look.state != SessionState::unknown) return feel(LifeEvent::found_work);
  if (!stream_ && look.state == SessionState::idle)
    (void)nudges.settle(
        agent_.id, presence_.incarnation, Nudges::Since::next_event,
        [&](std::string_view id) { return session_->shows(id); }, "a look at the session");
  auto parcel = nudges.take(agent_.id, presence_.incarnation, look_at_, frame());
  if (!parcel) {  // the store cannot be asked: it counts as nothing, and is asked again soon
    look_again_at_ = town_.clock.now() + kStoreTrouble;
    return feel(LifeEvent::found_nothing);
  }
  look_again_at_ = parcel->look_again_at;
  look_at_ = Boundary::idle;
  if (parcel->empty()) {
    // What another carrier has in hand, or the session was given and has not shown yet, is work, too.
    if (!nudges.is_unsettled(agent_.id).value_or(false)) return feel(LifeEvent::found_nothing);
    look_again_at_ = town_.clock.now() + kSoon;
    return feel(LifeEvent::found_work);
  }
  carry(nudges, *parcel, Injection::At::idle);
  feel(LifeEvent::found_work);
}

/// Only this process can reach it: what may not wait for the end of the turn is brought now.
void Supervisor::look_mid_turn() {
  if (!stream_ || life_.state != AgentState::running) return;
  const auto line = read_value(town_.store, [&](Ledger& ledger) { return ledger.pending_nudges(agent_.id); });
  if (!line || std::none_of(line->begin(), line->end(), [](const Nudge& nudge) {
        return nudge.state == NudgeState::queued && nudge.mode == NudgeMode::immediate;
      }))
    return;
  Nudges nudges(town_);
  auto parcel = nudges.take(agent_.id, presence_.incarnation, Boundary::busy, frame());
  if (!parcel || parcel->empty()) return;
  carry(nudges, *parcel, Injection::At::any);
}

void Supervisor::carry(Nudges& nudges, const Parcel& parcel, Injection::At at) {
  const auto injected = session_->inject({.text = parcel.text, .ids = parcel.ids(), .at = at});
  switch (injected.outcome) {
    case Injected::Outcome::shown:
      (void)nudges.delivered(parcel, injected.detail);
      return;
    case Injected::Outcome::handed:
      (void)nudges.handed(parcel, injected.detail);
      return;
    case Injected::Outcome::not_started:
      (void)nudges.give_back(parcel, injected.detail, Nudges::Tried::no);
      break;
    case Injected::Outcome::failed:
      (void)nudges.give_back(parcel, injected.detail, Nudges::Tried::yes);
      break;
  }
  look_again_at_ = town_.clock.now() + kSoon;
}

void Supervisor::stop_child(std::string why) {
  if (kill_at_) return;
  stopped_ = std::move(why);
  if (plan_.adapter == Adapter::stream || plan_.adapter == Adapter::lines) child_->close_input();
  child_->signal(SIGTERM);
  kill_at_ = town_.clock.now() + kTimeToEnd;
}

Millis Supervisor::until_next() {
  const Instant now = town_.clock.now();
  Millis longest = kLongestWait;
  if (look_again_at_) longest = std::min(longest, *look_again_at_ - now);
  if (kill_at_) longest = std::min(longest, *kill_at_ - now);
  if (!servers_.hears_all()) longest = std::min(longest, listen_again_at_ - now);
  if (const auto tick = next_tick(life_, rules_)) longest = std::min(longest, *tick - awake());
  return std::max(longest, Millis(1));
}

std::vector<int> Supervisor::descriptors() const {
  std::vector<int> out = servers_.descriptors();
  out.push_back(child_->end());
  if (child_->output() >= 0 && !output_ended_) out.push_back(child_->output());
  return out;
}

void Supervisor::heed_signals() {
  for (const int number : std::exchange(signals_, {})) {
    if (number == kDrain)
      feel(LifeEvent::told_to_drain);
    else if (number == SIGTERM)
      stop_child("a signal told it to end");
    else if (number != SIGCHLD)
      child_->signal(number);
  }
}

void Supervisor::see_it_off() {
  if (child_->output() >= 0) hear_child();  // its last words
  feel(LifeEvent::ended);
  life_.state = AgentState::exited;
  tell_presence();
  auto last = files_.read(agent_.id).value_or(presence_);
  // If the store cannot be written now, its next session or whoever watches does the same.
  (void)town_.store.write([&](Ledger& ledger) { return ledger.set_presence(last); });
  (void)Nudges(town_).settle(
      agent_.id, presence_.incarnation, Nudges::Since::new_session,
      [&](std::string_view id) { return stream_ ? stream_->shows(id) : std::nullopt; }, "its end");
  end_orphans();
}

Instant Supervisor::round() {
  if (child_->output() >= 0) hear_child();
  for (const auto& [agent, event] : servers_.read()) hear(event);
  look_at_server();
  hear_presence();
  heed_signals();
  reap_orphans(child_->pid());
  const Instant now = town_.clock.now();
  if (const auto code = child_->exit_code()) {
    see_it_off();
    ended_ = {*code, stopped_};
    return now;
  }
  if (kill_at_ && *kill_at_ <= now) {
    child_->signal(SIGKILL);
    kill_at_ = now + kTimeToEnd;
  }
  if (now - tended_at_ >= kLongestWait / 2) {
    (void)Nudges(town_).tend();
    tended_at_ = now;
  }
  feel(LifeEvent::tick);
  feel(LifeEvent::work_arrived);
  look_mid_turn();
  const auto longest = until_next();
  return town_.clock.now() + longest;
}

}  // namespace townpost
