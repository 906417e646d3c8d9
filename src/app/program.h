#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/postgres_door.h"
#include "app/remote_door.h"
#include "app/standard_input.h"
#include "daemon/serving.h"

namespace townpost {

/// The file of the running program. Asked of the kernel, so only when somebody wants it.
std::filesystem::path own_file();

/// What one run of `gt` (or of `townpostd` in its place) has.
struct Program {
  StandardInput& input;
  PostgresDoor& postgres;
  Serving* serving = nullptr;         ///< how a town is served; null: not at all
  std::filesystem::path called = {};  ///< where we run in the place of `gt`: its file
  RemoteDoor* remote = nullptr;       ///< how a town on another machine is reached; null: not at all
  /// What others are to call.
  std::filesystem::path path() const { return called.empty() ? own_file() : called; }
};

/// Runs one command on this machine; the exit code.
int run(const std::vector<std::string>& words, const Program& program);

}  // namespace townpost
