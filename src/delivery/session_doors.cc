#include "delivery/session_doors.h"

#include <algorithm>
#include <array>

#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/http/url.h"
#include "delivery/opencode/opencode_session.h"
#include "delivery/tmux/session_name.h"
#include "delivery/tmux/tmux_session.h"

namespace townpost {

namespace {

bool is_shell(std::string_view program) {
  if (program.starts_with('-')) program.remove_prefix(1);  // one that somebody logged in with
  constexpr std::array<std::string_view, 9> kShells = {"sh",  "bash", "dash", "zsh",    "fish",
                                                       "ksh", "csh",  "tcsh", "busybox"};
  return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

/// The place of an agent that has left it to the shell.
class EndedSession final : public AgentSession {
 public:
  SessionLook look() override { return {SessionState::gone, std::string(kWhy)}; }
  std::optional<bool> shows(std::string_view) override { return std::nullopt; }
  Injected inject(const Injection&) override { return {Injected::Outcome::not_started, std::string(kWhy)}; }

 private:
  static constexpr std::string_view kWhy = "the agent has ended, and its pane is a shell's";
};

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

std::optional<HarnessProfile> SystemDoors::profile_for(const TmuxTarget& target, const Presence& presence, bool live) {
  const auto said = harness_profile(presence.harness);  // by its hooks
  if (said && live) return *said;
  const auto pane = Tmux(processes_, random_).pane(target);
  if (!pane) return raw_profile();
  if (auto named = harness_profile(pane->command)) return *named;
  if (auto within = harness_within(static_cast<int>(pane->pid))) return within;
  // The shell that it was started from would act on what is typed.
  const bool was_there = said || presence.harness.starts_with(kTyped);
  if (was_there && is_shell(pane->command)) return std::nullopt;
  return raw_profile();
}

Result<std::unique_ptr<AgentSession>> SystemDoors::open(const std::string& uri, const Presence& presence) {
  if (uri.starts_with("opencode:")) {
    TRY(address, OpencodeAddress::parse(uri));
    return std::unique_ptr<AgentSession>(std::make_unique<OpencodeSession>(address, clock_));
  }
  if (uri.starts_with("tmux:")) {
    TRY(target, TmuxTarget::parse(uri));
    TmuxSessionPlace place{.target = target, .locks = locks_, .own_triggers = {std::string(kTrigger)}};
    const bool live = presence.session == uri && !is_over(presence.state);
    if (live && presence.pid > 0) place.pid = presence.pid;
    const auto profile = profile_for(target, presence, live);
    if (!profile) return std::unique_ptr<AgentSession>(std::make_unique<EndedSession>());
    place.profile = *profile;
    return std::unique_ptr<AgentSession>(std::make_unique<TmuxSession>(processes_, random_, std::move(place)));
  }
  return fail(Code::usage, cat("\"", for_terminal_line(uri), "\" is no session that can be reached"),
              "sessions look like tmux:NAME, tmux:%5 or opencode:http://127.0.0.1:4096#ses_1");
}

int SystemDoors::process_of(const std::string& uri) {
  if (!uri.starts_with("tmux:")) return 0;
  const auto target = TmuxTarget::parse(uri);
  const auto pane = target ? Tmux(processes_, random_).pane(*target) : Result<TmuxPane>(fail(target.error()));
  return pane ? static_cast<int>(pane->pid) : 0;
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
