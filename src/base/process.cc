#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A program that ends without reading its input must not end us. Blocked for this thread alone rather than ignored,
/// as that would be a setting of the whole process, and nobody asked us.
class SigpipeHeldBack {
 public:
  SigpipeHeldBack() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeHeldBack() {
    // Ours is taken off before it can fire; one that waited already is somebody else's.
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&sigpipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeHeldBack(const SigpipeHeldBack&) = delete;
  SigpipeHeldBack& operator=(const SigpipeHeldBack&) = delete;

 private:
  sigset_t sigpipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void never_block(const FileDescriptor& fd) { fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

/// The file actions and attributes of one posix_spawn, given back at the end.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

/// A started program. Whatever happens to us, it is reaped; if it has not ended by itself, it is killed first.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid), exit_watch_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (ended_) return;
    kill(-pid_, SIGKILL);  // its whole group: what a shell has started must not live on
    wait(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

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

/// Zero or errno.
int spawn(const ProcessCall& call, const Pipe& in, const Pipe& out, const Pipe& err, pid_t& pid) {
  SpawnPlan plan;
  posix_spawn_file_actions_adddup2(&plan.actions, in.read_end.get(), 0);
  posix_spawn_file_actions_adddup2(&plan.actions, out.write_end.get(), 1);
  posix_spawn_file_actions_adddup2(&plan.actions, err.write_end.get(), 2);
  if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&plan.actions, call.folder.c_str());

  // A group of its own, so that a timeout reaches all it has started; and none of our ideas about signals.
  sigset_t none, sigpipe;
  sigemptyset(&none);
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &sigpipe);
  posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));  // spawn does not write
    list.push_back(nullptr);
    return list;
  };
  const std::vector<char*> arguments = pointers(call.command);
  const std::vector<char*> variables = pointers(call.environment);
  return posix_spawnp(&pid, arguments[0], &plan.actions, &plan.attributes, arguments.data(),
                      call.environment.empty() ? environ : variables.data());
}

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
bool converse(Child& child, Pipe& in, Pipe& out, Pipe& err, std::string_view input, SteadyTime deadline,
              ProcessOutput& output) {
  constexpr Millis kLookAgain(10);  // without an exit watch
  constexpr Millis kLongestPoll = std::chrono::hours(1);
  feed(in.write_end, input);
  while (!child.has_ended()) {
    const auto left = std::chrono::ceil<Millis>(deadline - std::chrono::steady_clock::now());
    if (left <= Millis(0)) return false;
    const Millis pause = std::min(left, child.exit_watch() < 0 ? kLookAgain : kLongestPoll);
    // poll passes over descriptors that are negative, that is, closed.
    std::array<pollfd, 4> watched{{{in.write_end.get(), POLLOUT, 0},
                                   {out.read_end.get(), POLLIN, 0},
                                   {err.read_end.get(), POLLIN, 0},
                                   {child.exit_watch(), POLLIN, 0}}};
    if (poll(watched.data(), watched.size(), static_cast<int>(pause.count())) <= 0) continue;
    if (watched[0].revents != 0) feed(in.write_end, input);
    if (watched[1].revents != 0) take(out.read_end, output.out, SIZE_MAX);
    if (watched[2].revents != 0) take(err.read_end, output.err, SIZE_MAX);
  }
  take_the_rest(out.read_end, output.out);
  take_the_rest(err.read_end, output.err);
  return true;
}

bool is_folder(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Error spawn_error(const ProcessCall& call, int error_number) {
  const std::string& program = call.command[0];
  // The same errno as for a missing program, but another thing to put right.
  if (!call.folder.empty() && !is_folder(call.folder))
    return file_error(cat("run ", for_terminal_line(program), " in"), call.folder, ENOENT);
  // EACCES for a bare name: some folder of PATH may not be searched, or holds a file of that name that is no program.
  const bool bare = program.find('/') == std::string::npos;
  if (error_number == ENOENT || error_number == ENOTDIR || (bare && error_number == EACCES)) {
    return {Code::not_found, cat("there is no program ", for_terminal_line(program)),
            bare ? "install it, or add its folder to PATH" : "", std::nullopt};
  }
  Error error = file_error("run", program, error_number);
  error.hint = error_number == EACCES ? "make it executable: chmod +x" : "";
  return error;
}

}  // namespace

Result<ProcessOutput> SystemProcesses::run(const ProcessCall& call) {
  if (call.command.empty() || call.command[0].empty()) return fail(Code::usage, "there is no program to run");
  const std::string shown = for_terminal_line(call.command[0]);
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  // C strings end at a NUL: the program would be given something other than was asked for.
  if (std::any_of(call.command.begin(), call.command.end(), has_nul) ||
      std::any_of(call.environment.begin(), call.environment.end(), has_nul) || has_nul(call.folder))
    return fail(Code::usage, cat("an argument of ", shown, " holds a NUL byte"));

  // In this order: where the caller has closed its standard descriptors, our pipes take their numbers, and the child
  // puts its input in place first. So none is overwritten before it is in its own place.
  auto in = make_pipe(), out = make_pipe(), err = make_pipe();
  if (!in || !out || !err) return fail(file_error("run", call.command[0], errno));
  never_block(in->write_end);
  never_block(out->read_end);
  never_block(err->read_end);

  const SigpipeHeldBack held_back;
  pid_t pid = -1;
  if (const int error = spawn(call, *in, *out, *err, pid); error != 0) return fail(spawn_error(call, error));
  Child child(pid);
  in->read_end = FileDescriptor();
  out->write_end = FileDescriptor();
  err->write_end = FileDescriptor();

  constexpr Millis kForever = std::chrono::years(1);  // far enough, and cannot overflow the clock
  const SteadyTime deadline = std::chrono::steady_clock::now() + std::min(call.timeout, kForever);
  ProcessOutput output;
  if (!converse(child, *in, *out, *err, call.input, deadline, output))
    return fail(Code::timeout, cat(shown, " did not end within ", call.timeout.count(), " ms"));
  const auto code = child.exit_code();
  if (!code) return fail(Code::unavailable, cat("how ", shown, " ended is not known"), "do not ignore SIGCHLD");
  output.exit_code = *code;
  return output;
}

}  // namespace townpost
