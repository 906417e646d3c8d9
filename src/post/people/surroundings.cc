#include "post/people/surroundings.h"

#include <cstdlib>

#include "base/child.h"
#include "base/files.h"
#include "base/git_tracked.h"

namespace townpost {

std::optional<std::string> nearest_agent_file(const std::filesystem::path& from, std::optional<Instant> before) {
  for (auto at = from;; at = at.parent_path()) {
    const auto file = at / ".gt-agent";
    if (auto text = read_private_file(file, 4096); text && !is_tracked_by_git(file)) {
      const auto changed = changed_at(file);
      if (!before || (changed && *changed <= *before)) return *text;
    }
    if (!at.has_parent_path() || at == at.parent_path()) return std::nullopt;
  }
}

std::optional<std::string> agent_file_of_session(const SessionAround& around) {
  const int pid = std::atoi(around.process.c_str());
  const auto start = start_of(pid);
  const auto folder = working_folder_of(pid);
  std::error_code none;
  if (!around.started_in.empty() && folder && std::filesystem::weakly_canonical(around.started_in, none) != *folder)
    return std::nullopt;
  // The kernel tells the machine's start in whole seconds.
  constexpr Millis kRounding(1000);
  return start && folder ? nearest_agent_file(*folder, *start + kRounding) : std::nullopt;
}

std::string first_process_of(const OwnPane& pane) { return process_name(pane.pid); }

PaneAround::PaneAround(Machine& machine, const std::vector<Agent>& registered) : own_(machine.own_pane()) {
  if (!own_) return;
  process_ = first_process_of(*own_);
  const auto pane = look_at(own_->pid);
  if (const auto server = pane ? look_at(pane->parent) : std::nullopt) server_start_ = server->start;
  for (const auto& agent : registered)
    if (agent.session == own_->session_uri() && !machine.is_running(agent.pane_process))
      gone_.insert(agent.pane_process);
}

bool PaneAround::is_of(const Agent& agent) const {
  if (!own_) return false;
  if (agent.session == own_->uri() && gave_number(agent.pane_process)) return true;
  // Of a session's panes the one that was registered is meant; the others are of whoever opened them.
  return agent.session == own_->session_uri() &&
         (agent.pane_process == process_ || (own_->is_alone && gone_.contains(agent.pane_process)));
}

/// Whether the tmux server of this pane also had the process that its number was registered with. A server gives no
/// number twice, but the next server begins anew with %0, and after a restart of the machine so do the processes: a
/// pane of that number is somebody else's.
bool PaneAround::gave_number(const std::string& registered) const {
  const auto dot = registered.find('.');
  const auto boot = registered.find('-', dot);
  if (dot == std::string::npos || boot == std::string::npos || !server_start_) return registered == process_;
  const auto own_boot = process_.find('-');
  return own_boot != std::string::npos && registered.substr(boot) == process_.substr(own_boot) &&
         std::atoll(registered.c_str() + dot + 1) >= *server_start_;
}

}  // namespace townpost
