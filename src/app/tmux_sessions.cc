#include "app/tmux_sessions.h"

#include <unistd.h>

#include "base/child.h"
#include "base/text.h"

namespace townpost {

bool TmuxSessions::is_live(const std::string& name) {
  // tmux matches targets by prefix unless they begin with "=".
  const auto answer =
      processes_.run({.command = {"tmux", "has-session", "-t", "=" + name}, .timeout = std::chrono::seconds(2)});
  return answer && answer->exit_code == 0;
}

std::optional<std::string> TmuxSessions::own_session() {
  const auto pane = environment_.get("TMUX_PANE");
  if (!pane) return std::nullopt;
  const auto answer = processes_.run({.command = {"tmux", "display-message", "-p", "-t", *pane, "#{session_name}"},
                                      .timeout = std::chrono::seconds(2)});
  if (!answer || answer->exit_code != 0) return std::nullopt;
  const auto name = trim(answer->out);
  return name.empty() ? std::nullopt : std::optional<std::string>(name);
}

std::string TmuxSessions::own_process() { return process_name(::getpid()); }

bool TmuxSessions::is_running(const std::string& process) { return process_runs(process); }

}  // namespace townpost
