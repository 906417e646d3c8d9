#include "delivery/session_doors.h"

#include "base/text.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/tmux/session_name.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost {

/// What runs in the pane, as its hooks said, or as the name of its program tells.
HarnessProfile SystemDoors::profile_for(const TmuxTarget& target, const Presence& presence) {
  if (auto said = harness_profile(presence.harness)) return *said;
  const auto pane = Tmux(processes_, random_).pane(target);
  if (!pane) return raw_profile();
  const auto named = harness_profile(pane->command);
  return named ? *named : raw_profile();
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open(const std::string& uri, const Presence& presence) {
  if (uri.starts_with("opencode:")) {
    TRY(address, OpencodeAddress::parse(uri));
    return std::unique_ptr<AgentSession>(std::make_unique<OpencodeSession>(address, clock_));
  }
  if (uri.starts_with("tmux:")) {
    TRY(target, TmuxTarget::parse(uri));
    TmuxSessionPlace place{.target = target, .locks = locks_, .own_triggers = {std::string(kTrigger)}};
    place.profile = profile_for(target, presence);
    return std::unique_ptr<AgentSession>(std::make_unique<TmuxSession>(processes_, random_, std::move(place)));
  }
  return fail(Code::usage, cat("\"", for_terminal_line(uri), "\" is no session that can be reached"),
              "sessions look like tmux:NAME, tmux:%5 or opencode:http://127.0.0.1:4096#ses_1");
}

std::string SystemDoors::find(const Address& address, const std::string& rig_prefix) {
  const auto live = Tmux(processes_, random_).sessions();
  if (!live) return {};
  const auto name = live_session(address, rig_prefix, *live);
  return name ? cat("tmux:", *name) : std::string();
}

}  // namespace townpost
