#include "post/rig_connection.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/git_places.h"
#include "base/private_files.h"
#include "base/text.h"
#include "post/town_folder.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

std::string shown(const fs::path& path) { return for_terminal_line(path.string()); }

/// What the redirect of a repository says.
std::string line_for(const fs::path& town) { return town.parent_path().string() + "\n"; }

/// As git takes them: a scheme, or HOST:PATH.
bool is_url(std::string_view text) {
  const auto colon = text.find(':');
  return text.find("://") != std::string_view::npos || (colon != std::string_view::npos && colon < text.find('/'));
}

}  // namespace

Result<> is_folder_of_rig(const std::string& text, const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return {};
  const std::string spelled = for_terminal_line(shorten(to_utf8(text), 200));
  if (is_url(text))
    return fail(Code::usage, cat("\"", spelled, "\" is a URL, and a rig is a folder on this machine"),
                "clone it, then add the clone: gt rig add NAME FOLDER");
  return fail(Code::not_found, cat("there is no folder ", shown(path)), "clone the repository there, or correct the path");
}

Result<WayToTown> place_to_connect(const fs::path& path, const fs::path& town, const Environment& environment) {
  const auto home = home_of_repository(path);
  const auto used = town_around(home ? *home : path, environment);
  if (used && *used != town && home)
    return fail(Code::refused, cat(shown(*home), " uses the town in ", shown(used->parent_path())),
                "add the rig there with --town, or remove its .town/redirect first");
  WayToTown out{.is_repository = home.has_value()};
  struct stat found {};
  const bool free = home && ::lstat((*home / ".town").c_str(), &found) != 0;
  if (free && !used) out.at = *home;
  return out;
}

Result<> connect(const fs::path& repository, const fs::path& town) {
  const fs::path folder = repository / ".town";
  if (::mkdir(folder.c_str(), 0700) != 0) return fail(file_error("make", folder, errno));
  TRY_VOID(write_file_durably(folder / ".gitignore", "*\n", 0600));
  return write_file_durably(folder / "redirect", line_for(town), 0600);
}

void disconnect(const fs::path& path, const fs::path& town) {
  const auto home = home_of_repository(path);
  const auto folder = home ? *home / ".town" : fs::path();
  const auto text = home ? read_private_file(folder / "redirect", 4096) : Result<std::string>(fail(Code::not_found, ""));
  if (!text || *text != line_for(town)) return;
  remove_private_file(folder / "redirect");
  remove_private_file(folder / ".gitignore");
  ::rmdir(folder.c_str());  // unless somebody keeps more in it
}

}  // namespace townpost
