#include "bench/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "base/text.h"

namespace townpost::bench {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

void give_up(const std::string& why) { throw std::runtime_error(why); }

Command::Command(Spec spec) : spec_(std::move(spec)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) give_up("no pipe");
  read_end_ = FileDescriptor(ends[0]);
  write_end_ = FileDescriptor(ends[1]);
  // Only our end may not block; the program's is an ordinary one.
  ::fcntl(write_end_.get(), F_SETFL, 0);
}

double Command::run() {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, spec_.folder.c_str());
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, spec_.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, write_end_.get(), STDOUT_FILENO);
  const auto words = pointers(spec_.words);
  const auto environment = pointers(spec_.environment);
  pid_t child = 0;
  int status = 0;
  started_ = std::chrono::steady_clock::now();
  const int error = ::posix_spawn(&child, words[0], &files, nullptr, words.data(), environment.data());
  while (error == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started_;
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) give_up(cat("cannot start ", spec_.words[0]));
  drain();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != spec_.exit_code)
    give_up(cat(join(spec_.words, " "), WIFEXITED(status) ? cat(" ended with ", WEXITSTATUS(status)) : " was killed",
                ", not ", spec_.exit_code));
  return took.count();
}

// After the end, not while it runs: what is measured prints less than a pipe holds.
void Command::drain() {
  output_.clear();
  std::array<char, 4096> part{};
  for (;;) {
    const auto size = ::read(read_end_.get(), part.data(), part.size());
    if (size <= 0) return;
    output_.append(part.data(), static_cast<std::size_t>(size));
  }
}

std::pair<Times, Times> alternate(const std::function<double()>& a, const std::function<double()>& b, int warm_up,
                                  int pairs) {
  std::vector<double> of_a;
  std::vector<double> of_b;
  for (int i = -warm_up; i < pairs; ++i) {
    const bool a_first = i % 2 == 0;
    const double first = (a_first ? a : b)();
    const double second = (a_first ? b : a)();
    if (i < 0) continue;
    of_a.push_back(a_first ? first : second);
    of_b.push_back(a_first ? second : first);
  }
  return {Times(std::move(of_a)), Times(std::move(of_b))};
}

std::pair<Times, Times> alternate(Command& a, Command& b, int warm_up, int pairs) {
  return alternate([&a] { return a.run(); }, [&b] { return b.run(); }, warm_up, pairs);
}

}  // namespace townpost::bench
