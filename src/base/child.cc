#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/private_files.h"
#include "base/process_tree.h"
#include "base/spawn.h"
#include "base/text.h"

namespace townpost {

namespace {

Result<FileDescriptor> open_log(const std::string& log) {
  if (log.empty()) return FileDescriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  TRY_VOID(make_private_folders(folder_holding(log)));
  auto file = open_private(log, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return fail(file_error("write", log, errno));
  return file;
}

/// A process's start counts from the machine's, so both name it. The same while the machine runs, whatever its clock
/// says.
const std::string& boot_name() {
  static const std::string once = [] {
    const auto id = read_file("/proc/sys/kernel/random/boot_id", 64).value_or("");
    return std::string(trim(id)).substr(0, 8);
  }();
  return once;
}

}  // namespace

Result<Child> Child::start(const ChildPlan& plan) {
  SpawnPlan how{.command = plan.command,
                .environment = environment_with(plan.environment),
                .folder = plan.folder,
                .company = plan.detached ? SpawnPlan::Company::own_session : SpawnPlan::Company::ours,
                .fate = plan.fate};
  Pipe in, out;
  FileDescriptor nothing, log;
  if (plan.ends == ChildPlan::Ends::pipes) {
    TRY(made_in, make_pipe());
    TRY(made_out, make_pipe());
    in = std::move(made_in);
    out = std::move(made_out);
    never_block(out.read_end);
    how.standard = {in.read_end.get(), out.write_end.get(), -1};
  } else if (plan.ends == ChildPlan::Ends::log) {
    TRY(opened, open_log(plan.log));
    log = std::move(opened);
    nothing = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    how.standard = {nothing.get(), log.get(), log.get()};
  }
  TRY(pid, spawn(how));
  Child child(pid, FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  child.input_ = std::move(in.write_end);
  child.output_ = std::move(out.read_end);
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
  return look.is_zombie ? std::string() : cat(look.pid, ".", look.start, "-", boot_name(), "@", host_name());
}

bool process_runs(const std::string& name) {
  const auto at = name.find('@');
  if (at == std::string::npos) return false;
  if (name.substr(at + 1) != host_name()) return true;  // another host's: only its lease can tell
  return process_name(std::atoi(name.c_str())) == name;
}

}  // namespace townpost
