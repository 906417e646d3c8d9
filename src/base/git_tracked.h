#pragma once
#include <filesystem>

namespace townpost {

/// Whether git tracks the folder, or anything in it: then whoever may push to the repository decides what is in it.
/// Looks into the index of the repository around it. git itself is not run, because the repository's own settings could
/// make it run other programs. A repository that cannot be read tracks nothing.
bool is_tracked_by_git(const std::filesystem::path& folder);

}  // namespace townpost
