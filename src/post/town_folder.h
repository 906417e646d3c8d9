#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

/// The town's `.town` folder: of `flag` if given, else GT_TOWN (or GT_TOWN_ROOT), else the nearest ancestor of the
/// working folder that has one. A file `.town/redirect` sends on to another town. Error: no_town, naming where we
/// looked.
Result<std::filesystem::path> find_town(const std::optional<std::string>& flag, const Environment& environment);

}  // namespace townpost
