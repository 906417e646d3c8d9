#include "app/this_machine.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/child.h"
#include "base/number.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "delivery/tmux/foreground.h"
#include "delivery/tmux/tmux.h"
#include "delivery/tmux/tmux_socket.h"

namespace townpost {

bool ThisMachine::is_taken(const TmuxPane& pane, const Foreground& foreground) const {
  const auto is_noted = [&](int pid) { return notes_.is_session(process_name(pid)); };
  if (is_noted(static_cast<int>(pane.pid)) ||
      std::any_of(foreground.programs.begin(), foreground.programs.end(),
                  [&](const Foreground::Program& one) { return is_noted(one.pid); }))
    return true;
  const bool is_own = !environment_.get("TMUX").value_or("").empty() && environment_.get("TMUX_PANE") == pane.id;
  return is_own && !foreground.harness();
}

std::vector<LiveSession> ThisMachine::those(const std::function<bool(const std::string&)>& wanted) {
  const auto socket = tmux_socket_here(environment_);
  Tmux tmux(processes_, random_, {.socket_path = socket.empty() ? usual_tmux_socket() : socket, .socket_name = ""});
  std::map<std::string, LiveSession> found;
  for (const auto& pane : tmux.panes().value_or(std::vector<TmuxPane>{})) {
    if (pane.dead || !wanted(pane.session)) continue;
    const auto known = found.find(pane.session);
    if (known != found.end() && known->second.is_agents) continue;
    const auto foreground = foreground_of(pane);
    if (is_taken(pane, foreground)) continue;
    auto& session = found[pane.session];
    const bool is_first = session.name.empty();
    session.name = pane.session;
    session.uri = tmux_uri(socket, pane.session);
    session.is_agents = foreground.harness().has_value() && forbids_typing(foreground).empty();
    if (is_first || session.is_agents) session.program = foreground.program();
  }
  std::vector<LiveSession> out;
  for (auto& [name, session] : found) out.push_back(std::move(session));
  return out;
}

std::vector<LiveSession> ThisMachine::named(const std::set<std::string>& names) {
  return those([&](const std::string& name) { return names.contains(name); });
}

std::vector<LiveSession> ThisMachine::all() {
  return those([](const std::string&) { return true; });
}

std::optional<OwnPane> ThisMachine::own_pane() {
  const auto server = environment_.get("TMUX");
  const auto pane = environment_.get("TMUX_PANE");
  const auto target = TmuxTarget::parse(cat("tmux:", pane.value_or("")));
  if (!server || !target || target->pane != *pane) return std::nullopt;
  const auto answer = processes_.run(
      {.command = {"tmux", "-u", "-S", server->substr(0, server->find(',')), "display-message", "-p", "-t", *pane,
                   "#{pane_id} #{pane_pid} #{session_windows}.#{window_panes} #{session_name}"},
       .timeout = std::chrono::seconds(2)});
  if (!answer || answer->exit_code != 0) return std::nullopt;
  std::string_view said = answer->out;
  if (said.ends_with('\n')) said.remove_suffix(1);
  const auto first = said.find(' ');
  const auto second = said.find(' ', first + 1);
  const auto third = said.find(' ', second + 1);
  if (second == std::string_view::npos || third == std::string_view::npos || said.substr(0, first) != *pane)
    return std::nullopt;
  OwnPane own{.pane = *pane, .session = std::string(said.substr(third + 1)), .socket = tmux_socket_here(environment_)};
  own.is_alone = said.substr(second + 1, third - second - 1) == "1.1";
  own.pid = whole_number<int>(said.substr(first + 1, second - first - 1)).value_or(0);
  // Whoever is not below the pane's own process was only told of it.
  if (own.pid <= 1 || !runs_within(pid_of_caller(), own.pid)) return std::nullopt;
  // And whoever has ended is not looked for by its number, which may be another's now.
  if (!process_.empty() && !process_runs(process_)) return std::nullopt;
  return own;
}

int ThisMachine::pid_of_caller() const {
  if (process_.empty()) return ::getpid();
  return whole_number<int>(std::string_view(process_).substr(0, process_.find('.'))).value_or(0);
}

std::string ThisMachine::own_process() {
  if (process_.empty()) process_ = process_name(::getpid());  // /proc tells, so only once somebody asks
  return process_;
}

bool ThisMachine::is_running(const std::string& process) { return process_runs(process); }

}  // namespace townpost
