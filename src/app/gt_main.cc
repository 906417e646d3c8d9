// The program `gt`: joins the parts of this machine and runs one command.
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "app/context.h"
#include "base/environment.h"
#include "base/files.h"
#include "cli/cli.h"

namespace townpost {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written <= 0) return false;  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int run(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_IGN);
  const SystemEnvironment environment;
  const CliHost host{
      .open = [&](const auto& town, const auto& as,
                  Haste haste) { return std::make_unique<LocalContext>(town, as, haste, environment); },
      .out = [](std::string_view text) { return write_all(STDOUT_FILENO, text); },
      .err = [](std::string_view text) { write_all(STDERR_FILENO, text); },
      .read_stdin = [](std::size_t most) { return read_all(STDIN_FILENO, most); },
      .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
      .environment = environment,
  };
  return run_cli(words, host);
}

}  // namespace
}  // namespace townpost

int main(int argc, char** argv) { return townpost::run(std::vector<std::string>(argv + 1, argv + argc)); }
