#include "delivery/claude/waiter.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/folder_watch.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kLongestWait = std::chrono::minutes(10);  // rings wake it at once; this is for lost ones
/// A turn that was interrupted sends no event: after so long without one it is over.
constexpr Millis kSilentTurn = std::chrono::minutes(2);

/// Readable when the process has ended.
FileDescriptor end_of(int pid) { return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool takes_a_wake(const Presence& presence, Instant now) {
  if (is_idle(presence.state) || presence.state == AgentState::stalled) return true;
  return presence.state == AgentState::running && !presence.tool_running && now - presence.last_activity > kSilentTurn;
}

}  // namespace

bool ClaudeWaiter::is_newest(const std::string& own) const {
  const auto newest = read_file(waiter_file(town_.folder, agent_.id), 256);
  return newest && trim(*newest) == own;
}

Result<Parcel> ClaudeWaiter::wait(const ClaudeEvent& event) {
  Parcel nothing;
  const std::string own = town_.sessions.own_process();
  const auto file = waiter_file(town_.folder, agent_.id);
  TRY_VOID(make_folders(file.parent_path()));
  TRY_VOID(write_file_lightly(file, own));
  town_.bell.ring(agent_.id);  // an older one looks, and goes
  const FileDescriptor session_end = here_.pid > 0 ? end_of(here_.pid) : FileDescriptor();
  if (here_.pid > 0 && !session_end) return nothing;
  const PresenceFiles files(town_.folder);
  const FolderWatch presences(files.folder());
  Nudges nudges(town_);
  town_.bell.wait_for_any({}, Millis(0));  // from here on no ring is missed
  while (true) {
    presences.drain();
    if (!is_newest(own)) return nothing;
    const auto presence = files.read(agent_.id);
    if (!presence || presence->incarnation != event.session || is_over(presence->state)) return nothing;
    const Instant now = town_.clock.now();
    Millis longest = kLongestWait;
    if (takes_a_wake(*presence, now)) {
      auto parcel = nudges.take(agent_.id, event.session, Boundary::idle, Frame::plain);
      if (parcel && !parcel->empty()) return parcel;
      if (parcel && parcel->look_again_at) longest = std::clamp(*parcel->look_again_at - now, Millis(50), longest);
      if (!parcel) longest = std::chrono::seconds(5);  // the store is busy, or not there for a moment
    } else if (presence->state == AgentState::running) {
      longest = kSilentTurn + std::chrono::seconds(1);
    }
    std::vector<int> also = {presences.fd()};
    if (session_end) also.push_back(session_end.get());
    town_.bell.wait_for_any(also, longest);
    if (session_end) {
      const std::string alive = cat("/proc/", here_.pid);
      if (!std::filesystem::exists(alive)) return nothing;
    }
  }
}

Result<> ClaudeWaiter::printed(const Parcel& parcel) {
  return Nudges(town_).handed(parcel, "the waiting hook of Claude Code woke the session");
}

}  // namespace townpost
