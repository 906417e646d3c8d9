#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/postgres_door.h"
#include "app/standard_input.h"

namespace townpost {

/// What one run of `gt` (or of `townpostd` in its place) has.
struct Program {
  std::filesystem::path path;  ///< what others are to call: always `gt`
  StandardInput& input;
  PostgresDoor& postgres;
};

/// Runs one command on this machine; the exit code.
int run(const std::vector<std::string>& words, const Program& program);

/// The file of the running program.
std::filesystem::path own_file();

}  // namespace townpost
