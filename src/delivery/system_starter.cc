#include "delivery/system_starter.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "base/child.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kSameMoment = std::chrono::seconds(5);  // the machine's start is known to the second

/// Whether the number of its process was given to another one since. A process that is called as its harness is taken
/// for its own, whenever it was started: somebody may have set the clock.
bool is_anothers_now(const Presence& presence) {
  if (presence.incarnation.starts_with(cat(presence.pid, "."))) return !process_runs(presence.incarnation);
  const auto names = names_of_process(presence.pid);
  if (presence.harness.empty() || names.empty() ||
      std::find(names.begin(), names.end(), presence.harness) != names.end())
    return false;
  const auto start = start_of(presence.pid);
  return start && *start > presence.last_activity + kSameMoment;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> identity_of(const Agent& agent, const std::filesystem::path& town) {
  const auto& address = agent.address.str();
  // A flat name is no role; what is set for the caller must not speak for the agent.
  return {{"GT_TOWN", town.parent_path().string()},
          {"GT_ROLE", address.find('/') == std::string::npos ? "" : address},
          {"MAIL_IDENTITY", address},
          {"TMUX", ""},
          {"TMUX_PANE", ""}};
}

Result<> SystemStarter::start(const Agent& agent, const std::string& command) {
  const auto log = town_ / "log" / cat("agent-", agent.id.key, ".log");
  // The shell in between ends at once, so that nobody has to wait for the agent.
  TRY(child, Child::start({.command = {"sh", "-c", "(exec sh -c \"$1\") &", "sh", command},
                           .environment = identity_of(agent, town_),
                           .folder = town_.parent_path().string(),
                           .ends = ChildPlan::Ends::log,
                           .log = log.string(),
                           .detached = true}));
  ::waitpid(child.pid(), nullptr, 0);
  return {};
}

void SystemStarter::stop(const Presence& presence) {
  if (presence.supervised && presence.pid > 0) ::kill(presence.pid, SIGTERM);
}

bool SystemStarter::is_alive(const Presence& presence) {
  if (::kill(presence.pid, 0) != 0 && errno != EPERM) return false;
  return !is_zombie(presence.pid) && !is_anothers_now(presence);
}

}  // namespace townpost
