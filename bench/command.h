#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "bench/times.h"

namespace townpost::bench {

/// Ends the whole measurement: a number from a program that fails is worth nothing.
[[noreturn]] void give_up(const std::string& why);

/// A program with its arguments, ready to be run again and again. It runs with a small environment of its own and
/// prints into a pipe.
class Command {
 public:
  struct Spec {
    std::vector<std::string> words;
    std::filesystem::path folder;          ///< where it runs
    std::vector<std::string> environment;  ///< "NAME=value"
    int exit_code = 0;                     ///< any other is the end of the measurement
    std::filesystem::path input = "/dev/null";
  };
  explicit Command(Spec spec);

  /// Runs it once; the milliseconds from before its start to its end.
  double run();
  std::chrono::steady_clock::time_point started() const { return started_; }  ///< of the last run
  /// What it printed in the last run.
  const std::string& output() const { return output_; }

 private:
  void drain();
  Spec spec_;
  FileDescriptor read_end_;
  FileDescriptor write_end_;
  std::string output_;
  std::chrono::steady_clock::time_point started_;
};

/// Runs both in turn (a b, b a, a b …), so that whatever disturbs the machine hits both alike. Each says how many
/// milliseconds it took.
std::pair<Times, Times> alternate(const std::function<double()>& a, const std::function<double()>& b, int warm_up,
                                  int pairs);
std::pair<Times, Times> alternate(Command& a, Command& b, int warm_up, int pairs);

}  // namespace townpost::bench
