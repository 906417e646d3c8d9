#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

// A rig's repository is connected to its town by a file `.town/redirect`, ignored by git, in its main checkout: whoever
// works in the repository or in one of its worktrees finds the town. Any thread may ask; nobody waits for another who
// connects the same repository.

/// That `path`, written as `text`, can be a rig's. Error: usage for a URL, not_found if there is no such folder.
Result<> is_folder_of_rig(const std::string& text, const std::filesystem::path& path);

struct WayToTown {
  std::optional<std::filesystem::path> repository;  ///< its main checkout, if it is one
  bool is_there = false;                            ///< commands in it find the town already
  std::string trouble;                              ///< why a redirect cannot be written; empty if it can
};
/// How the repository at `path` finds the town in this `.town` folder. Error: refused if it uses another town.
Result<WayToTown> place_to_connect(const std::filesystem::path& path, const std::filesystem::path& town,
                                   const Environment& environment);

bool is_same_repository(const std::filesystem::path& one, const std::filesystem::path& other);

/// A redirect that leads nowhere any more is written anew.
Result<> connect(const std::filesystem::path& repository, const std::filesystem::path& town);
/// Takes back what connect() wrote for the repository at `path`, if it is still as it was written.
void disconnect(const std::filesystem::path& path, const std::filesystem::path& town);

}  // namespace townpost
