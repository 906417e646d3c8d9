#include "crash/running_gt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/deadline.h"
#include "base/random.h"
#include "base/text.h"
#include "support/await.h"
#include "support/test_town.h"

namespace townpost {

namespace {

struct Pipe {
  FileDescriptor read_end, write_end;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = FileDescriptor(ends[0]);
    write_end = FileDescriptor(ends[1]);
    ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string everything(const FileDescriptor& fd) {
  auto text = read_all(fd.get(), 64u << 20);
  return text ? *text : "";
}

}  // namespace

RunningGt RunningGt::start(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           const std::filesystem::path& input) {
  Pipe out, err;
  std::vector<std::string> command = {gt_program()};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<std::string> environment = clean_environment(folder);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + command[0]);
  return RunningGt(pid, std::move(out.read_end), std::move(err.read_end));
}

RunningGt::RunningGt(pid_t pid, FileDescriptor out, FileDescriptor err)
    : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}

RunningGt::RunningGt(RunningGt&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

RunningGt::~RunningGt() {
  if (pid_ < 0 || status_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void RunningGt::signal(int number) const {
  if (!status_) ::kill(pid_, number);  // not waited for yet, so the number is still its own
}

bool RunningGt::is_running() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return !status_;
}

ProcessOutput RunningGt::end() {
  if (!status_) {
    const FileDescriptor gone(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!wait_for(gone.get(), POLLIN, Deadline::in(kLongestWait))) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
      throw std::runtime_error(cat("this command never ended: ", everything(out_), everything(err_)));
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    status_ = status;
  }
  return {.exit_code = WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_),
          .out = everything(out_),
          .err = everything(err_)};
}

ProcessOutput run_and_kill(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           std::chrono::nanoseconds delay) {
  auto child = RunningGt::start(words, folder);
  std::this_thread::sleep_for(delay);
  child.signal(SIGKILL);
  return child.end();
}

std::chrono::nanoseconds median(std::vector<std::chrono::nanoseconds> durations) {
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

Moments::Moments() : state_(SystemRandom().bits()) {
  if (const char* seed = std::getenv("CRASH_SEED")) state_ = std::strtoull(seed, nullptr, 10);
  std::printf("to repeat this: CRASH_SEED=%llu\n", static_cast<unsigned long long>(state_));
}

std::uint64_t Moments::next() {
  state_ = SeededRandom(state_).bits();
  return state_;
}

std::chrono::nanoseconds Moments::within(std::chrono::nanoseconds duration) {
  const auto most = static_cast<std::uint64_t>(duration.count()) * 6 / 5;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(next() % (most + 1)));
}

std::size_t Moments::one_of(std::size_t choices) { return next() % choices; }

}  // namespace townpost
