#include "app/session_around.h"

#include <fcntl.h>
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

/// The name of the process that leads our session, which hardly ever is none of those above.
std::string session_leader(const std::vector<ProcessLook>& above) {
  const int leader = ::getsid(0);
  const auto known =
      std::find_if(above.begin(), above.end(), [&](const ProcessLook& process) { return process.pid == leader; });
  return known == above.end() ? process_name(leader) : process_name(*known);
}

}  // namespace

SessionFound session_around(const Environment& environment, const ProcessNotes& notes) {
  SessionFound found;
  found.above = ancestors();
  for (const auto& process : found.above) {
    auto session = session_of(process, notes);
    if (!session) continue;
    session->process = process_name(process);
    session->sign = cat(session->sign, ", process ", process.pid);
    found.around = std::move(session);
  }
  if (found.around) {
    found.environment.emplace(variables_of_process(std::atoi(found.around->process.c_str())), "/");
    found.around->started_with = NamingVariables::from(*found.environment);
    found.around->started_in = found.environment->get("PWD").value_or("");
    return found;
  }
  if (const auto mark = harness_of_environment(environment))
    found.around = SessionAround{.harness = std::string(mark->harness),
                                 .process = session_leader(found.above),
                                 .sign = mark->variable + " is set"};
  return found;
}

std::string terminal_around(const std::vector<ProcessLook>& above) {
  const FileDescriptor terminal(::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC));
  return terminal ? session_leader(above) : std::string();
}

Terminal terminal_here() {
  for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::isatty(end) == 1) return Terminal::attended;
  return Terminal::none;
}

}  // namespace townpost
