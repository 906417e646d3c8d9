#include "delivery/claude/claude_hook.h"

#include "base/text.h"
#include "delivery/claude/transcript.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr int kMostContinuations = 7;  // the harness ends a turn that hooks made longer more than eight times

AgentState state_after(const std::optional<Presence>& before, const ClaudeEvent& event) {
  const AgentState old = before ? before->state : AgentState::unknown;
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
    if (event.notification == "idle_prompt") return AgentState::idle;
    return old == AgentState::unknown ? AgentState::running : old;
  }
  return AgentState::running;
}

bool is_over_or_idle(const std::optional<Presence>& presence) {
  return !presence || is_over(presence->state) || is_idle(presence->state) || presence->state == AgentState::unknown ||
         presence->state == AgentState::starting || presence->state == AgentState::stalled;
}

}  // namespace

Presence presence_after(const std::optional<Presence>& before, AgentId agent, const ClaudeEvent& event,
                        const ClaudeSurroundings& here, Instant now) {
  Presence after = before.value_or(Presence{});
  const bool new_session = after.incarnation != event.session || event.name == "SessionStart";
  after.agent = agent;
  after.state = state_after(before, event);
  if (!before || before->state != after.state) after.since = now;
  if (after.incarnation != event.session || after.started_at.ms == 0) after.started_at = now;
  after.incarnation = event.session;
  after.harness = "claude";
  after.host = here.host;
  after.pid = here.pid;
  if (new_session || !here.session.empty()) after.session = here.session;
  if (!event.transcript.empty()) after.transcript = event.transcript;
  after.detail =
      after.state == AgentState::blocked
          ? (event.tool.empty() ? in_its_words(event.message) : cat("permission for ", in_its_words(event.tool)))
      : after.state == AgentState::stalled ? in_its_words(event.message)
                                           : "";
  after.last_activity = now;
  after.tool_running = event.name == "PreToolUse";
  if (new_session || (event.name == "UserPromptSubmit" && !event.made_by_harness())) after.continuations = 0;
  return after;
}

bool speaks_for(const std::optional<Presence>& known, const ClaudeEvent& event) {
  if (event.in_subagent) return false;
  return !known || known->incarnation.empty() || known->incarnation == event.session || is_over(known->state) ||
         event.name == "SessionStart";
}

std::optional<Boundary> boundary_of(const ClaudeEvent& event, const std::optional<Presence>& before) {
  if (event.name == "SessionStart") return Boundary::start;
  // A prompt typed while a turn runs is only queued: what goes with it would arrive late, or never.
  if (event.name == "UserPromptSubmit" && !event.made_by_harness() && is_over_or_idle(before)) return Boundary::prompt;
  if (event.name == "PostToolUse") return Boundary::tool;
  if (event.name == "Stop" && (!before || before->continuations < kMostContinuations)) return Boundary::turn_end;
  return std::nullopt;
}

Result<ClaudeHook::Outcome> ClaudeHook::handle(const ClaudeEvent& event) {
  const PresenceFiles files(town_.folder);
  TRY(stored, read_value(town_.store, [&](Ledger& ledger) { return ledger.presence(agent_.id); }));
  const auto before = newest_presence(town_, agent_.id, stored);
  if (!speaks_for(before, event)) return Outcome{};
  Presence after = presence_after(before, agent_.id, event, here_, town_.clock.now());
  // Whoever waits beside the session is not to come before us: at the end of a turn it is told last.
  const bool turn_ends = event.name == "Stop";
  if (!turn_ends) files.write(after);
  auto out = settle_and_take(event, before, after);
  if (turn_ends) {
    if (out && !out->parcel.empty()) after.state = AgentState::running;
    files.write(after);
  }
  return out;
}

Result<ClaudeHook::Outcome> ClaudeHook::settle_and_take(const ClaudeEvent& event, const std::optional<Presence>& before,
                                                        const Presence& after) {
  const bool new_session = event.name == "SessionStart" || event.name == "SessionEnd";
  if (new_session || !before || before->incarnation != event.session)
    TRY_VOID(town_.store.write([&](Ledger& ledger) { return ledger.set_presence(after); }));
  auto shows = [&](std::string_view id) -> std::optional<bool> {
    if (event.made_by_harness() && event.prompt.find(id) != std::string::npos) return true;
    const auto here = transcript_shows(after.transcript, id);
    if (here.value_or(false) || !before || before->transcript == after.transcript) return here;
    const auto earlier = transcript_shows(before->transcript, id);  // shown by a session that did not live to tell
    return earlier ? earlier : here;
  };
  Nudges nudges(town_);
  TRY_VOID(nudges.settle(agent_.id, event.session, new_session ? Nudges::Since::new_session : Nudges::Since::next_event,
                         shows, event.name));
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
  if (!before || before->incarnation != event.session) return false;
  files.write(presence_after(before, *agent, event, here, now));
  return true;
}

}  // namespace townpost
