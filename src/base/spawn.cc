#include "base/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/seclusion.h"
#include "base/text.h"

namespace townpost {

namespace {

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
    for (const int number : {SIGPIPE, SIGINT, SIGQUIT}) sigaddset(&usual, number);
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
  }
  if (!plan.folder.empty()) orders.go_to(plan.folder);
  orders.set(plan.company);
  pid_t pid = -1;
  const auto variables = pointers(plan.environment);
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
