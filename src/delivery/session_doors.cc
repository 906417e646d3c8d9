#include "delivery/session_doors.h"

#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/http/url.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/tmux/session_name.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost {

namespace {

/// The harness among a process and those it started, the nearest first: a shell or an interpreter may have started it.
std::optional<HarnessProfile> harness_within(int pid) {
  constexpr std::size_t kMostLookedAt = 50;
  std::vector<int> processes = {pid};
  for (std::size_t i = 0; i < processes.size() && i < kMostLookedAt; ++i) {
    for (const auto& name : names_of_process(processes[i]))
      if (auto found = harness_profile(name)) return *found;
    for (const int child : children_of(processes[i])) processes.push_back(child);
  }
  return std::nullopt;
}

}  // namespace

/// What runs in the pane, as its hooks said, or as the names of its programs tell.
HarnessProfile SystemDoors::profile_for(const TmuxTarget& target, const Presence& presence) {
  if (auto said = harness_profile(presence.harness)) return *said;
  const auto pane = Tmux(processes_, random_).pane(target);
  if (!pane) return raw_profile();
  if (auto named = harness_profile(pane->command)) return *named;
  return harness_within(static_cast<int>(pane->pid)).value_or(raw_profile());
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open(const std::string& uri, const Presence& presence) {
  if (uri.starts_with("opencode:")) {
    TRY(address, OpencodeAddress::parse(uri));
    return std::unique_ptr<AgentSession>(std::make_unique<OpencodeSession>(address, clock_));
  }
  if (uri.starts_with("tmux:")) {
    TRY(target, TmuxTarget::parse(uri));
    TmuxSessionPlace place{.target = target, .locks = locks_, .own_triggers = {std::string(kTrigger)}};
    if (presence.session == uri && presence.pid > 0 && !is_over(presence.state)) place.pid = presence.pid;
    place.profile = profile_for(target, presence);
    return std::unique_ptr<AgentSession>(std::make_unique<TmuxSession>(processes_, random_, std::move(place)));
  }
  return fail(Code::usage, cat("\"", for_terminal_line(uri), "\" is no session that can be reached"),
              "sessions look like tmux:NAME, tmux:%5 or opencode:http://127.0.0.1:4096#ses_1");
}

bool is_of_this_host(const std::string& uri) {
  if (uri.starts_with("tmux:")) return true;
  const auto address = OpencodeAddress::parse(uri);
  const auto server = address ? Url::parse(address->server) : Result<Url>(fail(Code::usage, ""));
  return server && server->is_loopback();
}

std::string SystemDoors::find(const Address& address, const std::string& rig_prefix) {
  constexpr Millis kFresh = std::chrono::seconds(1);  // one look for everybody who is asked about in one go
  const Instant now = clock_.now();
  if (now < live_at_ || now - live_at_ >= kFresh) {
    live_ = Tmux(processes_, random_).sessions().value_or(std::vector<std::string>{});
    live_at_ = now;
  }
  const auto name = live_session(address, rig_prefix, live_);
  return name ? cat("tmux:", *name) : std::string();
}

}  // namespace townpost
