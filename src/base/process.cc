#include "base/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "base/signals.h"
#include "base/spawn.h"
#include "base/text.h"

namespace townpost {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A started program. Whatever happens to us, it is reaped; if it has not ended by itself, it is killed first.
class Running {
 public:
  explicit Running(pid_t pid) : pid_(pid), exit_watch_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Running() {
    if (ended_) return;
    kill(-pid_, SIGKILL);  // its whole group: what a shell has started must not live on
    wait(0);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool has_ended() {
    if (!ended_) wait(WNOHANG);
    return ended_;
  }
  /// Readable once the program has ended; -1 on a kernel that has no such thing, or where seccomp forbids it.
  int exit_watch() const { return exit_watch_.get(); }
  /// Nothing if it was lost, which is so where the process ignores SIGCHLD.
  std::optional<int> exit_code() const {
    if (lost_) return std::nullopt;
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

 private:
  void wait(int how) {
    pid_t got = -1;
    while ((got = waitpid(pid_, &status_, how)) < 0 && errno == EINTR) {
    }
    ended_ = got != 0;
    lost_ = got < 0;
  }

  pid_t pid_;
  FileDescriptor exit_watch_;
  int status_ = 0;
  bool ended_ = false;
  bool lost_ = false;
};

void feed(FileDescriptor& to, std::string_view& rest) {
  if (!rest.empty()) {
    const ssize_t wrote = write(to.get(), rest.data(), rest.size());
    if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // Any other trouble means that the program does not want the rest; how it ends is what counts.
    rest.remove_prefix(wrote < 0 ? rest.size() : static_cast<std::size_t>(wrote));
  }
  if (rest.empty()) to = FileDescriptor();
}

/// Takes up to `most` bytes of what is there; at the end of the stream the descriptor is closed.
void take(FileDescriptor& from, std::string& out, std::size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(from.get(), buffer.data(), std::min(most, buffer.size()));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    from = FileDescriptor();
    return;
  }
  out.append(buffer.data(), static_cast<std::size_t>(got));
}

// All that an ended program wrote is in the pipe now. Its end may never come, where the program left something running
// that inherited the pipe; so take what is there and no more.
void take_the_rest(FileDescriptor& from, std::string& out) {
  int there = 0;
  if (!from || ioctl(from.get(), FIONREAD, &there) != 0) return;
  const std::size_t whole = out.size() + static_cast<std::size_t>(std::max(there, 0));
  while (from && out.size() < whole) take(from, out, whole - out.size());
}

/// True if the program ended by itself before `deadline`.
bool converse(Running& program, Pipe& in, Pipe& out, Pipe& err, std::string_view input, SteadyTime deadline,
              ProcessOutput& output) {
  constexpr Millis kLookAgain(10);  // without an exit watch
  constexpr Millis kLongestPoll = std::chrono::hours(1);
  feed(in.write_end, input);
  while (!program.has_ended()) {
    const auto left = std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now());
    if (left <= Millis(0)) return false;
    const Millis pause = std::min(left, program.exit_watch() < 0 ? kLookAgain : kLongestPoll);
    // poll passes over descriptors that are negative, that is, closed.
    std::array<pollfd, 4> watched{{{in.write_end.get(), POLLOUT, 0},
                                   {out.read_end.get(), POLLIN, 0},
                                   {err.read_end.get(), POLLIN, 0},
                                   {program.exit_watch(), POLLIN, 0}}};
    if (poll(watched.data(), watched.size(), static_cast<int>(pause.count())) <= 0) continue;
    if (watched[0].revents != 0) feed(in.write_end, input);
    if (watched[1].revents != 0) take(out.read_end, output.out, SIZE_MAX);
    if (watched[2].revents != 0) take(err.read_end, output.err, SIZE_MAX);
  }
  take_the_rest(out.read_end, output.out);
  take_the_rest(err.read_end, output.err);
  return true;
}

}  // namespace

Result<ProcessOutput> SystemProcesses::run(const ProcessCall& call) {
  TRY(in, make_pipe());
  TRY(out, make_pipe());
  TRY(err, make_pipe());
  never_block(in.write_end);
  never_block(out.read_end);
  never_block(err.read_end);

  const SigpipeHeldBack held_back;
  // A group of its own, so that a timeout reaches all it has started.
  TRY(pid, spawn({.command = call.command,
                  .environment = call.environment.empty() ? environment_with({}) : call.environment,
                  .folder = call.folder,
                  .standard = {in.read_end.get(), out.write_end.get(), err.write_end.get()},
                  .company = SpawnPlan::Company::own_group}));
  Running program(pid);
  in.read_end = FileDescriptor();
  out.write_end = FileDescriptor();
  err.write_end = FileDescriptor();

  const std::string shown = for_terminal_line(call.command[0]);
  constexpr Millis kFarOff = std::chrono::years(1);  // far enough, and cannot overflow the clock
  const SteadyTime deadline = std::chrono::steady_clock::now() + std::min(call.timeout, kFarOff);
  ProcessOutput output;
  if (!converse(program, in, out, err, call.input, deadline, output))
    return fail(Code::timeout, cat(shown, " did not end within ", call.timeout.count(), " ms"));
  const auto code = program.exit_code();
  if (!code) return fail(Code::unavailable, cat("how ", shown, " ended is not known"), "do not ignore SIGCHLD");
  output.exit_code = *code;
  return output;
}

}  // namespace townpost
