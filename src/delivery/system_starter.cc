#include "delivery/system_starter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/child.h"
#include "base/private_files.h"
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
  if (!presence.harness.is_known() || names.empty() ||
      std::find(names.begin(), names.end(), presence.harness.program()) != names.end())
    return false;
  const auto start = start_of(presence.pid);
  return start && *start > presence.last_activity + kSameMoment;
}

std::filesystem::path log_of(const std::filesystem::path& town, AgentId agent) {
  return town / "log" / cat("agent-", agent.key, ".log");
}

/// What a program wrote that never ends must not fill the disk: the end of it is kept beside, in NAME.1, and it goes on
/// in an empty file. A few lines that come at that moment may be lost.
void make_room(const std::filesystem::path& log) {
  constexpr off_t kLargest = 4 << 20;
  constexpr off_t kKept = 1 << 20;
  const FileDescriptor file = open_private(log, O_RDWR);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || found.st_size <= kLargest) return;
  std::string end(static_cast<std::size_t>(kKept), '\0');
  const auto got = ::pread(file.get(), end.data(), end.size(), found.st_size - kKept);
  auto old = log;
  old += ".1";
  if (const FileDescriptor kept = open_private(old, O_WRONLY | O_CREAT | O_TRUNC); kept && got > 0)
    (void)!::write(kept.get(), end.data(), static_cast<std::size_t>(got));
  (void)!::ftruncate(file.get(), 0);
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

std::string with_session_parameter(std::string_view command) {
  constexpr std::string_view kPlace = "{session}";
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (command.substr(i).starts_with(kPlace)) {
      out += quote == '\'' ? "'\"$1\"'" : quote == '"' ? "${1}" : "\"$1\"";
      i += kPlace.size() - 1;
      continue;
    }
    out += c;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      out += command[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  return out;
}

Result<> SystemStarter::start(const Agent& agent, const std::string& command, const std::string& session) {
  const auto log = log_of(town_, agent.id);
  make_room(log);
  reap();
  // It stands still until it is noted whose session it is: whatever it runs speaks for its agent and nobody else.
  TRY(child, Child::start({.command = {"sh", "-c", "kill -STOP $$; exec sh -c \"$1\" sh \"$2\"", "sh",
                                       with_session_parameter(command), session},
                           .environment = identity_of(agent, town_),
                           .folder = town_.parent_path().string(),
                           .ends = ChildPlan::Ends::log,
                           .log = log.string(),
                           .detached = true}));
  int status = 0;
  while (::waitpid(child.pid(), &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (!WIFSTOPPED(status)) return fail(Code::unavailable, cat("sh did not start: status ", status), "try again");
  notes_.note(process_name(child.pid()), ProcessNotes::Kind::session, agent.address.str(), town_);
  child.signal(SIGCONT);
  started_.push_back(std::move(child));
  return {};
}

void SystemStarter::reap() {
  std::erase_if(started_, [](Child& child) { return child.exit_code().has_value(); });
}

bool SystemStarter::can_stop(const Agent& agent) {
  return notes_.supervisor_of(agent.address.str(), town_).has_value();
}

void SystemStarter::stop(const Agent& agent) {
  // The supervisor is known by its own note, with its start; it alone knows which process is its agent's. What a hook's
  // environment said is nobody's to signal.
  if (const auto supervisor = notes_.supervisor_of(agent.address.str(), town_)) ::kill(*supervisor, SIGTERM);
}

bool SystemStarter::is_alive(const Presence& presence) {
  reap();
  make_room(log_of(town_, presence.agent));
  if (!presence.process.empty()) return process_runs(presence.process);
  if (::kill(presence.pid, 0) != 0 && errno != EPERM) return false;
  return !is_zombie(presence.pid) && !is_anothers_now(presence);
}

}  // namespace townpost
