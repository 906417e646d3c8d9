#include "delivery/session_doors.h"

#include "base/text.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/tmux/session_name.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost {

Result<std::unique_ptr<AgentSession>> SystemDoors::open(const std::string& uri, const Presence& presence) {
  if (uri.starts_with("opencode:")) {
    TRY(address, OpencodeAddress::parse(uri));
    return std::unique_ptr<AgentSession>(std::make_unique<OpencodeSession>(address, clock_));
  }
  if (uri.starts_with("tmux:")) {
    TRY(target, TmuxTarget::parse(uri));
    TmuxSessionPlace place{.target = target, .locks = locks_, .own_triggers = {std::string(kTrigger)}};
    auto profile = harness_profile(presence.harness.empty() || presence.harness == "tmux" ? "raw" : presence.harness);
    place.profile = profile ? *profile : raw_profile();
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
