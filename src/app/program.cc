#include "app/program.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/local_host.h"
#include "app/origin_of.h"
#include "base/environment.h"
#include "base/pager.h"
#include "cli/cli.h"
#include "socket/socket_engine.h"

namespace townpost {

namespace {

Printed write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno == EPIPE || errno == EBADF ? Printed::unwanted : Printed::lost;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Printed::whole;
}

WindowSize window_of_output() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {.columns = size.ws_col, .lines = size.ws_row};
}

/// Of input, output and errors none may be closed: the next file that is opened would be taken for it.
void keep_standard_ends() {
  for (int end = STDIN_FILENO; end <= STDERR_FILENO; ++end)
    if (::fcntl(end, F_GETFD) < 0 && ::open("/dev/null", end == STDIN_FILENO ? O_RDONLY : O_WRONLY) != end) ::_exit(2);
}

}  // namespace

int run(const std::vector<std::string>& words, const Program& program) {
  std::signal(SIGPIPE, SIG_IGN);
  keep_standard_ends();
  const SystemEnvironment environment;
  LocalHost local(program, Serves::one_call);
  LocalEngine here(local);
  SocketEngine engine(here, environment);
  const CliHost host{
      .engine = engine,
      .origin =
          [&](const auto& town, const auto& as, Haste haste) {
            return origin_here({town, as, haste}, environment, local.process_notes());
          },
      .clock = local.clock(),
      .out = [](const Shown& text) { return write_all(STDOUT_FILENO, text.bytes()); },
      .err = [](const Shown& text) { write_all(STDERR_FILENO, text.bytes()); },
      .read_stdin = [&](std::size_t most, const auto& slow) { return program.input.read(most, slow); },
      .stdin_speaks = [&] { return program.input.speaks(); },
      .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
      .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
      .page = [&](const Shown& text) { return show_in_pager(text.bytes(), environment); },
      .window = window_of_output,
      .environment = environment,
  };
  return run_cli(words, host);
}

std::filesystem::path own_file() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none);
}

}  // namespace townpost
