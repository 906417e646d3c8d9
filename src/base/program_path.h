#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/environment.h"

namespace townpost {

/// The file that `program` would start: by its path, else by PATH. Nothing if there is none that may be run.
std::optional<std::filesystem::path> program_path(const Environment& environment, const std::string& program);

}  // namespace townpost
