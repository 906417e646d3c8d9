#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace townpost {

/// How a finished program ended and what it printed.
struct ProcessOutput {
  int exit_code = 0;  ///< 128 + signal number if a signal ended it
  std::string out;
  std::string err;
};

struct ProcessCall {
  std::vector<std::string> command;           ///< program (found on PATH) and its arguments; no shell is involved
  std::string input;                          ///< what it reads on standard input
  std::vector<std::string> environment;       ///< "NAME=value" entries, replacing the caller's environment if not empty
  std::string folder;                         ///< where it runs; empty: here
  Millis timeout = std::chrono::seconds(10);  ///< then it is killed and the call answers timeout
};

/// Other programs, handed in so that rules can be tested without them. Any number of threads may run some at once.
class Processes {
 public:
  virtual ~Processes() = default;
  /// Runs the program to its end. not_found if there is no such program, timeout if it takes too long.
  virtual Result<ProcessOutput> run(const ProcessCall& call) = 0;
};

class SystemProcesses final : public Processes {
 public:
  Result<ProcessOutput> run(const ProcessCall& call) override;
};

}  // namespace townpost
