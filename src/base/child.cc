#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/private_files.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace {

struct Ends {
  FileDescriptor read;
  FileDescriptor write;
};

Result<Ends> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Code::unavailable, cat("cannot make a pipe: ", std::strerror(errno)), "close some programs");
  return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<FileDescriptor> open_log(const std::string& log) {
  if (log.empty()) return FileDescriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  TRY_VOID(make_private_folders(folder_holding(log)));
  auto file = open_private(log, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return fail(file_error("write", log, errno));
  return file;
}

void use_as(int fd, int standard) {
  if (fd >= 0) ::dup2(fd, standard);
}

/// In the child, between fork and exec.
[[noreturn]] void become(const ChildPlan& plan, int in, int out, int log, int report) {
  if (plan.detached) ::setsid();
  if (!plan.folder.empty() && ::chdir(plan.folder.c_str()) != 0) ::_exit(126);
  if (plan.ends == ChildPlan::Ends::log) {
    use_as(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    use_as(log, STDOUT_FILENO);
    use_as(log, STDERR_FILENO);
  } else {
    use_as(in, STDIN_FILENO);
    use_as(out, STDOUT_FILENO);
  }
  for (const auto& [name, value] : plan.environment)
    value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT}) ::signal(number, SIG_DFL);  // we may ignore them, it does not
  std::vector<char*> words;
  for (const auto& word : plan.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  const int error = errno;
  (void)!::write(report, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

Result<Child> Child::start(const ChildPlan& plan) {
  if (plan.command.empty()) return fail(Code::usage, "there is no command to run", "add it behind --");
  const bool pipes = plan.ends == ChildPlan::Ends::pipes;
  Ends in, out;
  if (pipes) {
    TRY(made_in, make_pipe());
    TRY(made_out, make_pipe());
    in = std::move(made_in);
    out = std::move(made_out);
  }
  FileDescriptor log;
  if (plan.ends == ChildPlan::Ends::log) {
    TRY(opened, open_log(plan.log));
    log = std::move(opened);
  }
  TRY(report, make_pipe());
  const int pid = ::fork();
  if (pid < 0)
    return fail(Code::unavailable, cat("cannot start a program: ", std::strerror(errno)), "close some programs");
  if (pid == 0) become(plan, in.read.get(), out.write.get(), log.get(), report.write.get());
  report.write = FileDescriptor();
  int error = 0;
  const bool failed = ::read(report.read.get(), &error, sizeof error) == sizeof error;
  Child child(pid, FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  if (failed) {
    ::waitpid(pid, nullptr, 0);
    return fail(Code::not_found,
                cat("cannot run ", for_terminal_line(plan.command.front()), ": ", std::strerror(error)),
                "is it installed, and on the PATH?");
  }
  child.input_ = std::move(in.write);
  child.output_ = std::move(out.read);
  if (child.output_) ::fcntl(child.output(), F_SETFL, ::fcntl(child.output(), F_GETFL) | O_NONBLOCK);
  return child;
}

void Child::signal(int number) const {
  if (!exit_code_) ::kill(pid_, number);
}

std::optional<int> Child::exit_code() {
  if (exit_code_) return exit_code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

const std::string& host_name() {
  static const std::string once = [] {
    std::array<char, 256> name{};
    return std::string(::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost");
  }();
  return once;
}

std::string process_name(int pid) {
  const auto look = look_at(pid);
  return look ? process_name(*look) : std::string();
}

std::string process_name(const ProcessLook& look) {
  return look.is_zombie ? std::string() : cat(look.pid, ".", look.start, "@", host_name());
}

bool process_runs(const std::string& name) {
  const auto at = name.find('@');
  if (at == std::string::npos) return false;
  if (name.substr(at + 1) != host_name()) return true;  // another host's: only its lease can tell
  return process_name(std::atoi(name.c_str())) == name;
}

}  // namespace townpost
