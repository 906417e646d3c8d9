#include "delivery/claude/waiter.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "delivery/claude/transcript.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

constexpr Millis kLongestWait = std::chrono::minutes(10);  // rings wake it at once; this is for lost ones
/// A turn that was interrupted sends no event, nor does a dialog that was left: after so long without one it is over.
/// If it is not, the session keeps the wake until it can take it; neither the turn nor the dialog is touched.
constexpr Millis kSilentTurn = std::chrono::minutes(2);
/// The hook that notes a new session is started beside the waiter, in any order.
constexpr Millis kForTheHook = std::chrono::seconds(10);
constexpr Millis kNextLook = std::chrono::seconds(1);
/// What a session took and does not show is put back by then: no need to look for it every second any longer.
constexpr Millis kForTheProof = std::chrono::seconds(65);
/// Where in a request the harness puts what a session was given at its start, nobody knows.
constexpr std::string_view kLookAtIt = "Townpost gave you something when this session began. Look at it now.";

/// Readable when the process has ended, even if nobody has asked how yet.
FileDescriptor end_of(int pid) { return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool has_come(const FileDescriptor& end) {
  pollfd look{.fd = end.get(), .events = POLLIN, .revents = 0};
  return end && ::poll(&look, 1, 0) > 0;
}

bool takes_a_wake(const Presence& presence, Instant now) {
  if (is_idle(presence.state) || presence.state == AgentState::stalled) return true;
  const bool silent = now - presence.last_activity > kSilentTurn;
  return silent &&
         (presence.state == AgentState::blocked || (presence.state == AgentState::running && !presence.tool_running));
}

/// Whether a session that nobody has spoken to yet was given something at its start: it is shown with the first prompt.
Result<bool> holds_something_unseen(Town& town, const Presence& presence) {
  return read_value(town.store, [&](Ledger& ledger) -> Result<bool> {
    TRY(line, ledger.pending_nudges(presence.agent));
    return std::any_of(line.begin(), line.end(), [&](const Nudge& nudge) {
      return nudge.state == NudgeState::handed && nudge.leased_for == presence.incarnation &&
             nudge.handed_at.value_or(Instant{}) >= presence.last_activity && nudge.mode != NudgeMode::queue &&
             nudge.held_by.empty();
    });
  });
}

}  // namespace

bool ClaudeWaiter::is_newest(const std::string& own) const {
  const auto newest = read_private_file(waiter_file(town_.folder, agent_.id), 256);
  return newest && trim(*newest) == own;
}

Result<> ClaudeWaiter::claim(const std::string& own) const {
  const auto file = waiter_file(town_.folder, agent_.id);
  TRY_VOID(make_private_folders(file.parent_path()));
  TRY_VOID(write_file_lightly(file, own));
  town_.bell.ring(agent_.id);  // an older one looks, and goes
  return {};
}

Result<> ClaudeWaiter::settle(const Presence& presence) const {
  return Nudges(town_).settle(
      agent_.id, presence.incarnation, Nudges::Since::next_event,
      [&](std::string_view id) { return transcript_shows(presence.transcript, id); }, "the end of a turn");
}

Result<Parcel> ClaudeWaiter::wait(const ClaudeEvent& event) {
  const Parcel nothing;
  const std::string own = town_.machine.own_process();
  const FileDescriptor session_end = here_.pid > 0 ? end_of(here_.pid) : FileDescriptor();
  if (here_.pid > 0 && !session_end) return nothing;
  const PresenceFiles files(town_.folder);
  const auto listener = town_.bell.listen({agent_.id}, {files.ears(agent_.id)});
  Nudges nudges(town_);
  const Instant began = town_.clock.now();
  bool known = false;  // the agent's session is this one; another one has waiters of its own
  while (!has_come(session_end)) {
    const Instant now = town_.clock.now();
    Millis longest = kLongestWait;
    const auto presence = files.read(agent_.id);
    if (presence && presence->incarnation == event.session && !is_over(presence->state)) {
      if (!known) TRY_VOID(claim(own));
      known = true;
      if (!is_newest(own)) return nothing;
      if (takes_a_wake(*presence, now)) {
        // What the turn was given may stand in the transcript only after its last event.
        const bool spoken_to = event.name == "Stop" || !is_idle(presence->state);
        const bool open = spoken_to && nudges.is_unsettled(agent_.id).value_or(false);
        if (open) (void)settle(*presence);
        if (has_come(session_end)) return nothing;
        auto parcel = nudges.take(agent_.id, event.session, Boundary::idle, Frame::plain);
        if (parcel && !parcel->empty()) return parcel;
        if (parcel && parcel->look_again_at) longest = std::clamp(*parcel->look_again_at - now, Millis(50), longest);
        if (!parcel) longest = std::chrono::seconds(5);  // the store is busy, or not there for a moment
        if (open && now - presence->last_activity < kForTheProof) longest = std::min(longest, kNextLook);
        if (event.name == "SessionStart" && holds_something_unseen(town_, *presence).value_or(false))
          return Parcel{.text = std::string(kLookAtIt)};
      } else if (presence->state == AgentState::running || presence->state == AgentState::blocked) {
        longest = kSilentTurn + std::chrono::seconds(1);
      }
    } else if (known || now - began >= kForTheHook) {
      return nothing;
    } else {
      longest = kForTheHook;
    }
    listener->wait({session_end.get()}, longest);
  }
  return nothing;
}

Result<> ClaudeWaiter::printed(const Parcel& parcel) {
  if (parcel.empty()) return {};
  return Nudges(town_).handed(parcel, "the waiting hook of Claude Code woke the session");
}

}  // namespace townpost
