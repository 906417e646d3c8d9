#pragma once
#include <filesystem>
#include <optional>

namespace townpost {

// Where git keeps things, read from its own files: git itself is not run in a folder that nobody trusts yet.

/// The folder of git's own files for the checkout in `root`; nothing if it is none.
std::optional<std::filesystem::path> git_folder(const std::filesystem::path& root);

/// If `root` is a linked worktree: its repository's main checkout, or the bare repository itself. Canonical.
std::optional<std::filesystem::path> home_of_worktree(const std::filesystem::path& root);

/// Where what concerns the whole repository belongs: the root of the main checkout that `path` is in, or the bare
/// repository. Canonical; nothing if `path` is in no repository.
std::optional<std::filesystem::path> home_of_repository(const std::filesystem::path& path);

}  // namespace townpost
