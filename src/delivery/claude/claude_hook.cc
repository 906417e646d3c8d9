#include "delivery/claude/claude_hook.h"

#include "base/text.h"
#include "delivery/claude/session_standing.h"
#include "delivery/claude/transcript.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr int kMostContinuations = 7;  // the harness ends a turn that hooks made longer more than eight times

AgentState state_after(const std::optional<Presence>& before, const ClaudeEvent& event) {
  const AgentState old = before && before->state != AgentState::deaf ? before->state : AgentState::unknown;
  if (event.name == "SessionStart") {
    if (event.source != "compact") return AgentState::idle;
    return old == AgentState::unknown ? AgentState::running : old;  // in the middle of a turn, or by a person's word
  }
  if (event.name == "SessionEnd") return AgentState::exited;
  if (event.name == "Stop") return AgentState::idle;
  if (event.name == "StopFailure") return AgentState::stalled;
  if (event.name == "PermissionRequest") return AgentState::blocked;
  if (event.name == "Notification") {
    if (event.notification == "permission_prompt" || event.notification.starts_with("elicitation"))
      return AgentState::blocked;
    // That nobody types does not make its model answer.
    if (event.notification == "idle_prompt" && old != AgentState::stalled) return AgentState::idle;
    return old == AgentState::unknown ? AgentState::running : old;
  }
  return AgentState::running;
}

bool is_over_or_idle(const std::optional<Presence>& presence) {
  return !presence || is_over(presence->state) || is_idle(presence->state) || presence->state == AgentState::unknown ||
         presence->state == AgentState::starting || presence->state == AgentState::stalled;
}

/// It was seen at a list that it showed when it started. Nobody has typed since, and that is no sign that it has gone:
/// its screen tells.
bool is_at_first_list(const std::optional<Presence>& before, const ClaudeEvent& event) {
  return event.name == "Notification" && event.notification == "idle_prompt" && before &&
         before->incarnation == event.session && before->state == AgentState::blocked &&
         before->since == before->started_at;
}

}  // namespace

Presence presence_after(const std::optional<Presence>& before, AgentId agent, const ClaudeEvent& event,
                        const ClaudeSurroundings& here, Instant now) {
  Presence after = before.value_or(Presence{});
  const bool new_session = after.incarnation != event.session || event.name == "SessionStart";
  after.agent = agent;
  const bool new_program = new_session && after.process != here.process;
  if (new_program) after.supervised = false;  // a supervisor says so again
  const bool at_first_list = is_at_first_list(before, event);
  after.state = at_first_list ? AgentState::blocked : state_after(before, event);
  if (!before || before->state != after.state || new_program) after.since = now;
  if (after.incarnation != event.session || after.started_at.ms == 0 || new_program) after.started_at = now;
  after.incarnation = event.session;
  after.harness = Harness::of_word("claude");
  after.host = here.host;
  if (new_session || here.pid > 0) {
    after.pid = here.pid;
    after.process = here.process;
  }
  after.triggered_at = {};
  if (new_session) after.hooks_leave = false;
  if (new_session || !here.session.empty()) after.session = here.session;
  if (!event.transcript.empty()) after.transcript = event.transcript;
  after.detail =
      at_first_list ? before->detail
      : after.state == AgentState::blocked
          ? (event.tool.empty() ? in_its_words(event.message) : cat("permission for ", in_its_words(event.tool)))
      : after.state == AgentState::stalled ? in_its_words(event.message)
                                           : "";
  after.last_activity = now;
  after.tool_running = event.name == "PreToolUse";
  if (new_session || (event.name == "UserPromptSubmit" && !event.made_by_harness())) after.continuations = 0;
  return after;
}

std::optional<Boundary> boundary_of(const ClaudeEvent& event, const std::optional<Presence>& before) {
  if (event.name == "SessionStart") return Boundary::start;
  // A prompt typed while a turn runs is only queued: what goes with it would arrive late, or never.
  if (event.name == "UserPromptSubmit" && !event.made_by_harness() && is_over_or_idle(before)) return Boundary::prompt;
  if (event.name == "PostToolUse") return Boundary::tool;
  if (event.name == "Stop" && (!before || before->continuations < kMostContinuations)) return Boundary::turn_end;
  return std::nullopt;
}

namespace {

/// What another window of the agent does is listed; nothing is taken for it.
void note_beside(const PresenceFiles& files, AgentId agent, const ClaudeEvent& event, const ClaudeSurroundings& here,
                 Instant now) {
  if (event.name == "SessionEnd") return files.forget_other(agent, event.session);
  files.write_other(presence_after(files.other(agent, event.session), agent, event, here, now));
}

}  // namespace

Result<ClaudeHook::Outcome> ClaudeHook::handle(const ClaudeEvent& event) {
  const PresenceFiles files(town_.folder);
  TRY(stored, read_value(town_.store, [&](Ledger& ledger) { return ledger.presence(agent_.id); }));
  const auto receiving = newest_presence(town_, agent_.id, stored);
  const auto standing = standing_of(files, agent_.id, receiving, event, here_);
  if (standing == SessionStanding::helps) return Outcome{.is_helper = true};
  if (standing == SessionStanding::beside) {
    const auto known = files.other(agent_.id, event.session);
    note_beside(files, agent_.id, event, here_, town_.clock.now());
    TRY_VOID(settle(event, known, presence_after(known, agent_.id, event, here_, town_.clock.now())));
    return Outcome{};
  }
  // What is known of the session itself, if another one received until now.
  const auto own = files.other(agent_.id, event.session);
  take_over(files, agent_.id, receiving, event, here_);
  const auto& before = own ? own : receiving;
  Presence after = presence_after(before, agent_.id, event, here_, town_.clock.now());
  // Whoever waits beside the session is not to come before us: that it is idle is told last.
  const bool told_last = is_idle(after.state);
  if (!told_last) files.write(after);
  auto out = settle_and_take(event, before, after);
  if (after.hooks_leave && out && !out->parcel.empty()) {
    after.hooks_leave = false;
    if (!told_last) files.write(after);
  }
  if (told_last) {
    if (event.name == "Stop" && out && !out->parcel.empty()) after.state = AgentState::running;
    files.write(after);
  }
  if (event.name == "SessionEnd") {
    if (const auto next = let_succeed(town_, agent_.id))
      TRY_VOID(town_.store.write([&](Ledger& ledger) { return ledger.set_presence(*next); }));
  }
  return out;
}

Result<> ClaudeHook::settle(const ClaudeEvent& event, const std::optional<Presence>& before, const Presence& after) {
  // A session that was compacted is the same one: what its waiter gave it is under way.
  const bool new_session = (event.name == "SessionStart" && event.source != "compact") || event.name == "SessionEnd";
  auto shows = [&](std::string_view id) -> std::optional<bool> {
    if (event.made_by_harness() && event.prompt.find(id) != std::string::npos) return true;
    const auto here = transcript_shows(after.transcript, id);
    if (here.value_or(false) || !before || before->transcript == after.transcript) return here;
    const auto earlier = transcript_shows(before->transcript, id);  // shown by a session that did not live to tell
    return earlier ? earlier : here;
  };
  return Nudges(town_).settle(agent_.id, event.session,
                              new_session ? Nudges::Since::new_session : Nudges::Since::next_event, shows, event.name);
}

Result<ClaudeHook::Outcome> ClaudeHook::settle_and_take(const ClaudeEvent& event, const std::optional<Presence>& before,
                                                        const Presence& after) {
  const bool new_session = event.name == "SessionStart" || event.name == "SessionEnd";
  if (new_session || !before || before->incarnation != event.session)
    TRY_VOID(town_.store.write([&](Ledger& ledger) { return ledger.set_presence(after); }));
  TRY_VOID(settle(event, before, after));
  Nudges nudges(town_);
  Outcome out;
  const auto boundary = boundary_of(event, before);
  if (!boundary) return out;
  TRY(parcel, nudges.take(agent_.id, event.session, *boundary, Frame::plain));
  out.parcel = std::move(parcel);
  if (!out.parcel.empty()) out.print = claude_answer(event.name, out.parcel.text);
  return out;
}

Result<> ClaudeHook::printed(const ClaudeEvent& event, const Parcel& parcel) {
  if (parcel.empty()) return {};
  if (event.name == "Stop") {  // the turn goes on
    const PresenceFiles files(town_.folder);
    if (auto presence = files.read(agent_.id); presence && presence->incarnation == event.session) {
      presence->state = AgentState::running;
      presence->since = town_.clock.now();
      ++presence->continuations;
      files.write(*presence);
    }
  }
  TRY_VOID(Nudges(town_).handed(parcel, cat("the ", event.name, " hook of Claude Code")));
  if (event.name == "SessionStart") town_.bell.ring(agent_.id);  // whoever waits beside the session may wake it now
  return {};
}

bool nothing_to_do(const std::filesystem::path& town, const Hint& hint, const ClaudeEvent& event,
                   const ClaudeSurroundings& here, Instant now) {
  if (event.in_subagent) return true;
  if (event.name == "SessionStart" || event.name == "SessionEnd") return false;
  const auto agent = hint.nothing_waits_for();
  if (!agent) return false;
  const PresenceFiles files(town);
  const auto before = files.read(*agent);
  if (!before) return false;
  if (before->incarnation == event.session) {
    files.write(presence_after(before, *agent, event, here, now));
    return true;
  }
  const auto standing = standing_of(files, *agent, before, event, here);
  if (standing == SessionStanding::beside) note_beside(files, *agent, event, here, now);
  return standing != SessionStanding::receives;
}

}  // namespace townpost
