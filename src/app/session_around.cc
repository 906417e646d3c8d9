#include "app/session_around.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/advice.h"
#include "base/child.h"
#include "base/text.h"
#include "delivery/session/harness_marks.h"

namespace townpost {

namespace {

/// The --as of a `gt agent run`; an empty text if it has none; nothing if the process is something else.
std::optional<std::string> flag_of_supervisor(const ProcessLook& process) {
  if (process.program != "gt" && process.program != "townpost" && process.program != "bd" &&
      process.program != "townpostd")
    return std::nullopt;
  constexpr std::array<std::string_view, 2> kRun = {"agent", "run"};
  const auto words = words_of_process(process.pid);
  const auto end = std::find(words.begin(), words.end(), "--");
  if (std::search(words.begin(), end, kRun.begin(), kRun.end()) == end) return std::nullopt;
  constexpr std::string_view kAs = "--as=";
  for (auto word = words.begin(); word != end; ++word) {
    if (*word == "--as" && word + 1 != end) return *(word + 1);
    if (word->starts_with(kAs)) return word->substr(kAs.size());
  }
  return std::string();
}

/// What this process is of an agent's session; nothing if it is none.
std::optional<SessionAround> session_of(const ProcessLook& process, const ProcessNotes& notes) {
  SessionAround out{.harness = "agent", .is_proven = true};
  if (const auto harness = harness_of_process(process)) {
    out.harness = *harness;
    out.sign = *harness;
    return out;
  }
  if (auto flag = flag_of_supervisor(process)) {
    if (!flag->empty()) out.flag = std::move(*flag);
    out.sign = called("agent.run");
    return out;
  }
  if (!notes.is_session(process_name(process))) return std::nullopt;
  out.sign = "noted as one";
  return out;
}

/// The name of the process that leads the session of `pid`, which hardly ever is none of those above the caller. If it
/// has ended: of `pid` itself, where that is above the caller and so stays for longer than it.
std::string session_leader(int pid, const std::vector<ProcessLook>& above) {
  const auto among = [&](int wanted) {
    return std::find_if(above.begin(), above.end(), [&](const ProcessLook& process) { return process.pid == wanted; });
  };
  const auto look = [&](int wanted) -> std::optional<ProcessLook> {
    const auto known = among(wanted);
    return known == above.end() ? look_at(wanted) : *known;
  };
  const int leader = ::getsid(pid);
  auto found = leader > 0 ? look(leader) : std::nullopt;
  if (!found && among(pid) != above.end()) found = look(pid);
  return found ? process_name(*found) : std::string();
}

/// What starts programs for everybody: what it has in its environment says nothing of who is below it.
bool is_for_everybody(const ProcessLook& process) {
  constexpr std::array<std::string_view, 4> kPrograms = {"tmux: server", "screen", "SCREEN", "systemd"};
  return process.pid <= 1 || std::find(kPrograms.begin(), kPrograms.end(), process.program) != kPrograms.end();
}

using Processes = std::vector<ProcessLook>;

/// The outermost process that carries an agent program's mark.
struct Marked {
  Processes::const_iterator process;
  MarkedBy mark;
  FixedEnvironment environment;
};
std::optional<Marked> outermost_marked(Processes::const_iterator begin, Processes::const_iterator end) {
  for (auto process = end; process != begin;) {
    --process;
    const auto variables = variables_text(process->pid);
    if (!variables || !may_be_marked(*variables)) continue;
    FixedEnvironment environment(variables_in(*variables), "/");
    if (auto mark = harness_of_environment(environment)) return Marked{process, *mark, std::move(environment)};
  }
  return std::nullopt;
}

/// The session that nothing but the marks of agent programs tell of: `own`, the caller's, and those that processes from
/// `begin` upwards started with, for whoever is inside may drop them or lead a session of its own.
std::optional<SessionAround> marked_session(int pid, const std::optional<MarkedBy>& own, const Processes& above,
                                            Processes::const_iterator begin) {
  const auto end = std::find_if(begin, above.end(), is_for_everybody);
  const auto outermost = outermost_marked(begin, end);
  // An agent program does not carry its own mark. If none is above, the mark may have been inherited from anywhere.
  const auto program = outermost ? outermost->process + 1 : begin;
  if (!own && (!outermost || program == end)) return std::nullopt;
  const auto& mark = outermost ? outermost->mark : *own;
  SessionAround out{.harness = std::string(mark.harness), .sign = mark.variable + " is set"};
  if (outermost) {
    out.sign += cat(" for process ", outermost->process->pid);
    out.started_with = NamingVariables::from(outermost->environment);
  }
  out.process = session_leader(program != end ? program->pid : outermost ? outermost->process->pid : pid, above);
  return out;
}

}  // namespace

SessionFound session_around(int pid, const Environment& environment, const ProcessNotes& notes) {
  SessionFound found;
  found.above = ancestors_of(pid);
  auto beyond = found.above.cbegin();
  for (auto process = found.above.cbegin(); process != found.above.cend(); ++process) {
    auto session = session_of(*process, notes);
    if (!session) continue;
    session->process = process_name(*process);
    session->sign = cat(session->sign, ", process ", process->pid);
    found.around = std::move(session);
    beyond = process + 1;
  }
  if (!found.around) {
    found.around = marked_session(pid, harness_of_environment(environment), found.above, beyond);
    return found;
  }
  found.beyond = marked_session(pid, std::nullopt, found.above, beyond);
  found.environment.emplace(variables_of_process(std::atoi(found.around->process.c_str())), "/");
  found.around->started_with = NamingVariables::from(*found.environment);
  found.around->started_in = found.environment->get("PWD").value_or("");
  return found;
}

std::string terminal_around(int pid, const std::vector<ProcessLook>& above) {
  const auto look = look_at(pid);
  return look && look->terminal != 0 ? session_leader(pid, above) : std::string();
}

}  // namespace townpost
