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
#include "remote/remote_place.h"
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

/// In the place of a server that cannot be reached from this program.
class Unreached final : public Engine {
 public:
  explicit Unreached(Error why) : why_(std::move(why)) {}
  Result<Answer> call(const Op&, const Args&, Request&) override { return fail(why_); }
  Result<> handed_over(Request&) override { return fail(why_); }
  Result<std::unique_ptr<Pause>> pause(const Again&, Request&) override { return fail(why_); }

 private:
  const Error why_;
};

/// The engine of a town on another machine, where the variables name one; null otherwise.
std::unique_ptr<Engine> engine_elsewhere(const Program& program, const Environment& environment, Engine& here,
                                         const Clock& clock) {
  if (!program.remote || !names_a_server(environment)) return nullptr;
  auto engine = program.remote->engine(here, clock);
  return engine ? std::move(*engine) : std::make_unique<Unreached>(engine.error());
}

}  // namespace

int run(const std::vector<std::string>& words, const Program& program) {
  std::signal(SIGPIPE, SIG_IGN);
  keep_standard_ends();
  const SystemEnvironment environment;
  LocalHost local(program, Serves::one_call);
  LocalEngine here(local);
  SocketEngine on_this_host(here, environment);
  const auto elsewhere = engine_elsewhere(program, environment, on_this_host, local.clock());
  const CliHost host{
      .engine = elsewhere ? *elsewhere : on_this_host,
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
