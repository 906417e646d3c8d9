#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"

namespace townpost {

/// A running `gt`, which may be stopped or killed at any moment. Killed at the end if it still runs.
class RunningGt {
 public:
  /// Starts `gt WORDS…` in `folder`. What it prints is kept until end() takes it (at most what a pipe holds).
  static RunningGt start(const std::vector<std::string>& words, const std::filesystem::path& folder,
                         const std::filesystem::path& input = "/dev/null");
  ~RunningGt();
  RunningGt(RunningGt&& other) noexcept;
  RunningGt& operator=(RunningGt&&) = delete;

  void signal(int number) const;
  pid_t pid() const { return pid_; }
  bool is_running();
  /// Waits for its end; exit_code is 128 + the signal if one ended it.
  ProcessOutput end();

 private:
  RunningGt(pid_t pid, FileDescriptor out, FileDescriptor err);
  pid_t pid_;
  std::optional<int> status_;
  FileDescriptor out_, err_;
};

constexpr int kKilled = 128 + 9;

/// Runs `gt WORDS…` in `folder` and kills it after `delay`, unless it was faster.
ProcessOutput run_and_kill(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           std::chrono::nanoseconds delay);

/// How long `run` takes: the median of several, because kills are spread over a little more than that.
template <class Run>
std::chrono::nanoseconds typical_duration(Run run, int times = 9);
std::chrono::nanoseconds median(std::vector<std::chrono::nanoseconds> durations);

template <class Run>
std::chrono::nanoseconds typical_duration(Run run, int times) {
  std::vector<std::chrono::nanoseconds> durations;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    durations.push_back(std::chrono::steady_clock::now() - start);
  }
  return median(std::move(durations));
}

/// Random moments to kill at. The seed is printed; CRASH_SEED in the environment repeats a run.
class Moments {
 public:
  Moments();
  /// Somewhere from the start to 1.2 times `duration`.
  std::chrono::nanoseconds within(std::chrono::nanoseconds duration);
  /// A number below `choices`.
  std::size_t one_of(std::size_t choices);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

}  // namespace townpost
