#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace townpost {

/// Every file below a folder, by its path: kind, mode, and what it holds or where it leads. Equal snapshots mean that
/// nothing was touched.
using Snapshot = std::map<std::string, std::string>;
Snapshot snapshot_of(const std::filesystem::path& folder);
/// The paths in which two of them differ.
std::vector<std::string> changed(const Snapshot& before, const Snapshot& after);

}  // namespace townpost
