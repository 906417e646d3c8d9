#pragma once
#include <sys/types.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace townpost {

/// How a program begins.
struct SpawnPlan {
  enum class Company { ours, own_group, own_session };  ///< a group: one signal reaches all it starts
  enum class Fate { own, ours };                        ///< ours: however we end, it is asked to end (SIGTERM)
  std::vector<std::string> command;                     ///< program (found on our PATH) and its arguments; no shell
  std::vector<std::string> environment;                 ///< "NAME=value", all of it
  std::string folder;                                   ///< where it runs; empty: here
  std::array<int, 3> standard = {-1, -1, -1};           ///< its input, output and errors; -1: ours
  Company company = Company::ours;
  Fate fate = Fate::own;
};

/// Starts the program: the one way in which a process is started. Safe whatever other threads do meanwhile: in the
/// child runs none of our code, or, where it shares our fate, nothing but calls of the system. That is the fate of the
/// calling thread. It knows the usual signals, whatever we do with them. Error: usage, not_found if there is no such
/// program, unavailable.
Result<pid_t> spawn(const SpawnPlan& plan);

/// Our own variables as "NAME=value", with `changes` made: an empty value unsets.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes);

/// Both ends are closed in programs that we start.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};
Result<Pipe> make_pipe();

/// Reads and writes do not wait from now on.
void never_block(const FileDescriptor& fd);

}  // namespace townpost
