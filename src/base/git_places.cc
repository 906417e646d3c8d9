#include "base/git_places.h"

#include <sys/stat.h>

#include <string>

#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 4096;

/// The path that the file holds behind `head`, relative to `folder`.
std::optional<fs::path> path_in(const fs::path& file, std::string_view head, const fs::path& folder) {
  const auto text = read_private_file(file, kMostBytes);
  if (!text || !text->starts_with(head)) return std::nullopt;
  return folder / fs::path(std::string(trim(std::string_view(*text).substr(head.size()))));
}

bool is_bare(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "HEAD", none) && fs::is_directory(folder / "objects", none) &&
         fs::is_directory(folder / "refs", none);
}

}  // namespace

std::optional<fs::path> git_folder(const fs::path& root) {
  const fs::path git = root / ".git";
  struct stat found {};
  if (::lstat(git.c_str(), &found) != 0) return std::nullopt;
  if (!S_ISREG(found.st_mode)) return git;
  return path_in(git, "gitdir:", root);  // a worktree or a submodule
}

std::optional<fs::path> home_of_worktree(const fs::path& root) {
  struct stat found {};
  if (::lstat((root / ".git").c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  const auto git = git_folder(root);
  std::error_code none;
  const fs::path real = git ? fs::canonical(*git, none) : fs::path();
  if (!git || none) return std::nullopt;
  const auto common = path_in(real / "commondir", "", real);  // a submodule has none
  if (!common) return std::nullopt;
  const fs::path home = fs::canonical(*common, none);
  if (none) return std::nullopt;
  return home.filename() == ".git" ? home.parent_path() : home;
}

std::optional<fs::path> home_of_repository(const fs::path& path) {
  std::error_code none;
  for (fs::path at = fs::canonical(path, none); !none; at = at.parent_path()) {
    if (auto home = home_of_worktree(at)) return home;
    if (git_folder(at) || is_bare(at)) return at;
    if (at == at.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace townpost
