#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/process_tree.h"
#include "base/result.h"
#include "base/spawn.h"

namespace townpost {

struct ChildPlan {
  enum class Ends { inherited, pipes, log };  ///< what its input and output are
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  ///< set in addition; an empty value unsets
  std::string folder;                                            ///< where it runs; empty: here
  Ends ends = Ends::inherited;
  std::string log;        ///< Ends::log: output and errors are appended to this private file, or lost; input is empty
  bool detached = false;  ///< in a session of its own: it outlives us
  SpawnPlan::Fate fate = SpawnPlan::Fate::own;
};

/// A program that runs beside us. It is not ended with this object.
class Child {
 public:
  /// Error: not_found if there is no such program.
  static Result<Child> start(const ChildPlan& plan);

  int pid() const { return pid_; }
  int input() const { return input_.get(); }    ///< to write, with pipes
  int output() const { return output_.get(); }  ///< to read, with pipes
  int end() const { return end_.get(); }        ///< readable once it has ended
  void close_input() { input_ = FileDescriptor(); }
  void signal(int number) const;
  /// How it ended (128 + signal), if it has; nothing while it runs.
  std::optional<int> exit_code();

 private:
  Child(int pid, FileDescriptor end) : pid_(pid), end_(std::move(end)) {}
  int pid_;
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor end_;
  std::optional<int> exit_code_;
};

/// A name for a process of this host that no other process ever has: number and start, "4711.1234-0f3e5a7c@host". Empty
/// if it is gone.
std::string process_name(int pid);
std::string process_name(const ProcessLook& look);
/// Whether the process of that name runs on this host.
bool process_runs(const std::string& name);
const std::string& host_name();

}  // namespace townpost
