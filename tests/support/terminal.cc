#include "support/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "base/deadline.h"
#include "base/text.h"
#include "support/await.h"

namespace townpost {

ProcessOutput gt_on_terminal(const TestTown& town, const TestTown::Words& words, const TestTown::Variables& variables) {
  TestTown::Words command = {gt_program()};
  command.insert(command.end(), words.begin(), words.end());
  return on_terminal(town, command, variables);
}

ProcessOutput on_terminal(const TestTown& town, const TestTown::Words& words, const TestTown::Variables& variables,
                          const std::vector<Keys>& keys) {
  // Everything the child needs is made before the fork.
  // Nobody sits there to turn pages, unless a test wants somebody to.
  auto all = variables;
  all.emplace("PAGER", "cat");
  auto environment = clean_environment(town.folder(), all);
  environment.emplace_back("TERM=xterm-256color");
  auto command = words;
  auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  auto arguments = pointers(command);
  auto variables_of_child = pointers(environment);
  const winsize size{.ws_row = 50, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};

  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("there is no terminal to be had");
  if (child == 0) {
    if (::chdir(town.folder().c_str()) == 0) ::execvpe(arguments[0], arguments.data(), variables_of_child.data());
    ::_exit(127);
  }
  const FileDescriptor terminal(master);
  ProcessOutput output;
  char buffer[4096];
  const auto deadline = Deadline::in(kLongestWait);
  auto next = keys.begin();
  std::size_t seen = 0;
  while (true) {
    if (!wait_for(terminal.get(), POLLIN, deadline)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      throw std::runtime_error(cat("this never ended: ", join(words, " "), "\n", output.out));
    }
    const auto got = ::read(terminal.get(), buffer, sizeof buffer);
    if (got > 0)
      output.out.append(buffer, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      break;  // EIO: the child is gone
    if (next == keys.end()) continue;
    const auto at = output.out.find(next->after, seen);
    if (at == std::string::npos) continue;
    seen = at + next->after.size();
    if (::write(terminal.get(), next->keys.data(), next->keys.size()) < 0) break;
    ++next;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace townpost
