#include "delivery/claude/waiter.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "delivery/claude/session_standing.h"
#include "delivery/claude/transcript.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

/// A turn that was interrupted sends no event, nor does a dialog that was left: after so long without one it is over.
/// If it is not, the session keeps the wake until it can take it; neither the turn nor the dialog is touched.
constexpr Millis kSilentTurn = std::chrono::minutes(2);
/// The hook that notes a new session is started beside the waiter, in any order.
constexpr Millis kForTheHook = std::chrono::seconds(10);
constexpr Millis kNextLook = std::chrono::seconds(1);
constexpr Millis kBusyStore = std::chrono::seconds(5);  // or not there for a moment
/// What a session took and does not show is put back by then: no need to look for it every second any longer.
constexpr Millis kForTheProof = std::chrono::seconds(65);
/// Where in a request the harness puts what a session was given at its start, nobody knows.
constexpr std::string_view kLookAtIt = "Townpost gave you something when this session began. Look at it now.";

/// Also if nobody has asked how yet.
bool has_ended(int pid) {
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd look{.fd = process.get(), .events = POLLIN, .revents = 0};
  return !process || ::poll(&look, 1, 0) > 0;
}

/// Whether what is noted is of the program that we wait beside. One that was resumed after it was killed has its old
/// session's name, and no hook has spoken for it yet.
bool is_of_this_program(const Presence& presence, const ClaudeSurroundings& here) {
  return presence.process.empty() || here.process.empty() || presence.process == here.process;
}

/// A model that does not answer would only be asked once more.
bool takes_a_wake(const Presence& presence, Instant now) {
  if (is_idle(presence.state)) return true;
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

bool ClaudeWaiter::is_newest(const ClaudeEvent& event, const std::string& own) const {
  const auto newest = read_private_file(waiter_file(town_.folder, agent_.id, event.session), 256);
  return newest && trim(*newest) == own;
}

Result<> ClaudeWaiter::claim(const ClaudeEvent& event, const std::string& own) const {
  const auto file = waiter_file(town_.folder, agent_.id, event.session);
  TRY_VOID(make_private_folders(file.parent_path()));
  std::error_code none;
  for (const auto& other : std::filesystem::directory_iterator(file.parent_path(), none)) {  // of those that are gone
    const auto process = read_private_file(other.path(), 256);
    if (process && !town_.machine.is_running(std::string(trim(*process)))) remove_private_file(other.path());
  }
  TRY_VOID(write_file_lightly(file, own));
  town_.bell.ring(agent_.id);  // an older one looks, and goes
  return {};
}

Result<> ClaudeWaiter::settle(const Presence& presence) const {
  return Nudges(town_).settle(
      agent_.id, presence.incarnation, Nudges::Since::next_event,
      [&](std::string_view id) { return transcript_shows(presence.transcript, id); }, "the end of a turn");
}

std::filesystem::path ClaudeWaiter::ears() const { return PresenceFiles(town_.folder).ears(agent_.id); }

Result<ClaudeWaiter::Look> ClaudeWaiter::look(const ClaudeEvent& event, Instant began, Stage stage) {
  const Look over{.over = true};
  if (here_.pid > 0 && has_ended(here_.pid)) return over;
  const std::string own = town_.machine.own_process();
  const Instant now = town_.clock.now();
  Look out{.stage = stage};
  const PresenceFiles files(town_.folder);
  auto presence = files.read(agent_.id);
  if (standing_of(files, agent_.id, presence, event, here_) == SessionStanding::helps) return over;
  // Beside another window it waits for that one's end.
  const bool beside = files.other(agent_.id, event.session).has_value();
  if (beside && !(presence && is_live(*presence))) presence = let_succeed(town_, agent_.id);
  const bool receives = presence && presence->incarnation == event.session && !is_over(presence->state) &&
                        is_of_this_program(*presence, here_);
  // Before the hook has noted the session, too: once it has, nobody is to think that nothing waits there.
  if (stage == Stage::begins) {
    TRY_VOID(claim(event, own));
    out.stage = Stage::claimed;
  }
  if (!is_newest(event, own)) return over;
  if (!receives && !beside) {
    if (stage == Stage::ours || now - began >= kForTheHook) return over;
    out.again_at = now + kForTheHook;
    return out;
  }
  out.stage = Stage::ours;
  if (!receives) return out;
  if (!takes_a_wake(*presence, now)) {
    if (presence->state == AgentState::running || presence->state == AgentState::blocked)
      out.again_at = now + kSilentTurn + std::chrono::seconds(1);
    return out;
  }
  // What the turn was given may stand in the transcript only after its last event.
  Nudges nudges(town_);
  const bool spoken_to = event.name == "Stop" || !is_idle(presence->state);
  const bool open = spoken_to && nudges.is_unsettled(agent_.id).value_or(false);
  if (open) (void)settle(*presence);
  if (here_.pid > 0 && has_ended(here_.pid)) return over;
  auto parcel = nudges.take(agent_.id, event.session, Boundary::idle, Frame::plain);
  if (parcel && !parcel->empty()) {
    out.parcel = std::move(*parcel);
    return out;
  }
  if (parcel && parcel->look_again_at) out.again_at = std::max(*parcel->look_again_at, now + Millis(50));
  if (!parcel) out.again_at = now + kBusyStore;
  if (open && now - presence->last_activity < kForTheProof) out.again_at = std::min(out.again_at, now + kNextLook);
  if (event.name == "SessionStart" && holds_something_unseen(town_, *presence).value_or(false))
    out.parcel.text = std::string(kLookAtIt);
  return out;
}

Result<> ClaudeWaiter::printed(const Parcel& parcel) {
  if (parcel.empty()) return {};
  return Nudges(town_).handed(parcel, "the waiting hook of Claude Code woke the session");
}

}  // namespace townpost
