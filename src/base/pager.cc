#include "base/pager.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/leave_interrupts.h"
#include "base/spawn.h"
#include "base/text.h"

namespace townpost {

namespace {

/// Whoever ends the pager before the end has seen enough.
void write_as_far_as_it_goes(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::vector<std::string> pager_of(const Environment& environment) {
  for (const auto* name : {"GT_PAGER", "PAGER"}) {
    const auto value = environment.get(name);
    if (!value || trim(*value).empty()) continue;
    std::vector<std::string> words;
    for (const auto word : split(*value, ' '))
      if (!word.empty()) words.emplace_back(word);
    if (words.size() == 1 && words.front() == "cat") words.clear();
    return words;
  }
  return {"less", "-FRX"};
}

bool show_in_pager(std::string_view text, const Environment& environment) {
  SpawnPlan plan{.command = pager_of(environment)};
  if (plan.command.empty()) return false;
  // What a `less` with no options of its own would show as escapes are our colours.
  plan.environment =
      environment_with(environment.get("LESS") ? std::vector<std::pair<std::string, std::string>>()
                                               : std::vector<std::pair<std::string, std::string>>({{"LESS", "FRX"}}));
  auto pipe = make_pipe();
  if (!pipe) return false;
  plan.standard[0] = pipe->read_end.get();
  const LeaveInterrupts while_it_runs;
  const auto pid = spawn(plan);
  if (!pid) return false;
  pipe->read_end = FileDescriptor();
  write_as_far_as_it_goes(pipe->write_end.get(), text);
  pipe->write_end = FileDescriptor();
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace townpost
