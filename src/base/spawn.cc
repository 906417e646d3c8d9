#include "base/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/seclusion.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::array<int, 3> kUsualSignals = {SIGPIPE, SIGINT, SIGQUIT};

/// What posix_spawn is told, given back at the end.
class Orders {
 public:
  Orders() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~Orders() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;

  void use_as(int fd, int standard) { posix_spawn_file_actions_adddup2(&actions_, fd, standard); }
  void go_to(const std::string& folder) { posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()); }

  /// None of our ideas about signals: we may block some, and ignore others.
  void set(SpawnPlan::Company company) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int number : kUsualSignals) sigaddset(&usual, number);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (company == SpawnPlan::Company::own_group) flags |= POSIX_SPAWN_SETPGROUP;
    if (company == SpawnPlan::Company::own_session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }

  /// Zero or errno.
  int carry_out(pid_t& pid, char* const* arguments, char* const* variables) const {
    return posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments, variables);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// All that the child of a fork needs, made before it.
struct Fork {
  std::array<int, 3> standard;
  const char* folder;
  SpawnPlan::Company company;
  char* const* arguments;
  char* const* variables;
  pid_t parent;
  int told;  ///< where it says why it did not begin
};

/// In the child, beside which other threads may have held any lock: calls of the system only.
[[noreturn]] void begin(const Fork& fork) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  bool ready = ::getppid() == fork.parent;  // else we have ended already, and nobody would tell it
  sigset_t none;
  sigemptyset(&none);
  for (const int number : kUsualSignals) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (fork.company == SpawnPlan::Company::own_group) ready = ready && ::setpgid(0, 0) == 0;
  if (fork.company == SpawnPlan::Company::own_session) ready = ready && ::setsid() >= 0;
  for (int standard = 0; standard < 3; ++standard)
    if (const int fd = fork.standard[static_cast<std::size_t>(standard)]; fd >= 0)
      ready = ready && ::dup2(fd, standard) >= 0;
  if (*fork.folder != '\0') ready = ready && ::chdir(fork.folder) == 0;
  if (ready) ::execvpe(fork.arguments[0], fork.arguments, fork.variables);
  const int error = errno;
  (void)!::write(fork.told, &error, sizeof error);
  ::_exit(127);
}

/// Zero or errno.
int fork_and_begin(Fork& plan, pid_t& pid) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  const FileDescriptor heard(ends[0]);
  FileDescriptor told(ends[1]);
  plan.told = told.get();
  plan.parent = ::getpid();
  pid = ::fork();
  if (pid == 0) begin(plan);
  if (pid < 0) return errno;
  told = FileDescriptor();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(heard.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got != sizeof error) return 0;
  ::waitpid(pid, nullptr, 0);
  return error == 0 ? ECHILD : error;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));  // spawn does not write
  list.push_back(nullptr);
  return list;
}

bool is_folder(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Error spawn_error(const SpawnPlan& plan, int error_number) {
  const std::string& program = plan.command[0];
  // The same errno as for a missing program, but another thing to put right.
  if (!plan.folder.empty() && !is_folder(plan.folder))
    return file_error(cat("run ", for_terminal_line(program), " in"), plan.folder, ENOENT);
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

Result<pid_t> spawn(const SpawnPlan& plan) {
  reach_outside("a program is started");
  if (plan.command.empty() || plan.command[0].empty())
    return fail(Code::usage, "there is no program to run", "name one");
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  // C strings end at a NUL: the program would be given something other than was asked for.
  if (std::any_of(plan.command.begin(), plan.command.end(), has_nul) ||
      std::any_of(plan.environment.begin(), plan.environment.end(), has_nul) || has_nul(plan.folder))
    return fail(Code::usage, cat("an argument of ", for_terminal_line(plan.command[0]), " holds a NUL byte"));

  Orders orders;
  std::array<FileDescriptor, 3> lifted;
  std::array<int, 3> standards = {-1, -1, -1};
  for (int standard = 0; standard < 3; ++standard) {
    int fd = plan.standard[static_cast<std::size_t>(standard)];
    if (fd < 0) continue;
    if (fd < 3) {  // where the caller has closed its own: out of the way, or another would be put over it
      auto& copy = lifted[static_cast<std::size_t>(standard)];
      copy = FileDescriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
      if (!copy) return fail(file_error("run", plan.command[0], errno));
      fd = copy.get();
    }
    orders.use_as(fd, standard);
    standards[static_cast<std::size_t>(standard)] = fd;
  }
  if (!plan.folder.empty()) orders.go_to(plan.folder);
  orders.set(plan.company);
  pid_t pid = -1;
  const auto variables = pointers(plan.environment);
  if (plan.fate == SpawnPlan::Fate::ours) {
    const auto arguments = pointers(plan.command);
    Fork how{.standard = standards,
             .folder = plan.folder.c_str(),
             .company = plan.company,
             .arguments = arguments.data(),
             .variables = variables.data(),
             .parent = 0,
             .told = -1};
    if (const int error = fork_and_begin(how, pid); error != 0) return fail(spawn_error(plan, error));
    return pid;
  }
  int error = orders.carry_out(pid, pointers(plan.command).data(), variables.data());
  if (error == ENOEXEC) {  // a script that does not say whose it is, is the shell's, as everywhere
    std::vector<std::string> by_shell = {"/bin/sh", "-c", R"(exec "$0" "$@")"};
    by_shell.insert(by_shell.end(), plan.command.begin(), plan.command.end());
    error = orders.carry_out(pid, pointers(by_shell).data(), variables.data());
  }
  if (error != 0) return fail(spawn_error(plan, error));
  return pid;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> out;
  const auto is_changed = [&](std::string_view variable) {
    const auto name = variable.substr(0, variable.find('='));
    return std::any_of(changes.begin(), changes.end(), [&](const auto& change) { return change.first == name; });
  };
  for (char** at = environ; *at != nullptr; ++at)
    if (!is_changed(*at)) out.emplace_back(*at);
  for (const auto& [name, value] : changes)
    if (!value.empty()) out.push_back(cat(name, "=", value));
  return out;
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Code::unavailable, cat("cannot make a pipe: ", std::strerror(errno)), "close some programs");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void never_block(const FileDescriptor& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

}  // namespace townpost
