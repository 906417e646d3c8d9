#include "post/town/rig_connection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/advice.h"
#include "base/files.h"
#include "base/git_places.h"
#include "base/private_files.h"
#include "base/text.h"
#include "post/town/town_folder.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

std::string shown(const fs::path& path) { return for_terminal_line(path.string()); }

/// What the redirect of a repository says.
std::string line_for(const fs::path& town) { return town.parent_path().string() + "\n"; }

/// Whether the folder is what is left of a connection: its town was moved or removed, and nothing else is in it.
bool leads_nowhere(const fs::path& folder) {
  if (!check_town_folder(folder)) return false;
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(folder, trouble)) {
    const auto name = entry.path().filename();
    if (name != "redirect" && name != ".gitignore" && name != "id") return false;
  }
  const auto target = redirect_of(folder);
  return !trouble && (target ? !may_be_town(*target) : target.error().code == Code::not_found);
}

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
                "clone it, then add the clone: " + next("rig.add", {{"name", "NAME"}, {"path", "FOLDER"}}));
  return fail(Code::not_found, cat("there is no folder ", shown(path)),
              "clone the repository there, or correct the path");
}

Result<WayToTown> place_to_connect(const fs::path& path, const fs::path& town, const Environment& environment) {
  WayToTown out{.repository = home_of_repository(path)};
  if (!out.repository) return out;
  const auto folder = *out.repository / ".town";
  const auto used = town_around(*out.repository, environment);
  if (used && *used != town)
    return fail(Code::refused, cat(shown(*out.repository), " uses the town in ", shown(used->parent_path())),
                "add the rig there with " + next("", {{"town", ""}},
                                                 may_be_town(folder) ? cat(", or remove ", shown(folder), " first")
                                                                     : ", or move the repository out of that folder"));
  out.is_there = used.has_value();
  struct stat found {};
  if (!used && ::lstat(folder.c_str(), &found) == 0 && !leads_nowhere(folder))
    out.trouble =
        cat("there is a folder ", shown(folder), " of its own; remove it, then ", called("rig.add"), " connects it");
  return out;
}

Result<> connect(const fs::path& repository, const fs::path& town) {
  const fs::path folder = repository / ".town";
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail(file_error("make", folder, errno));
  TRY_VOID(write_file_durably(folder / ".gitignore", "*\n", 0600));
  return write_file_durably(folder / "redirect", line_for(town), 0600);
}

bool is_same_repository(const fs::path& one, const fs::path& other) {
  const auto home = home_of_repository(one);
  return home && home == home_of_repository(other);
}

void disconnect(const fs::path& path, const fs::path& town) {
  const auto home = home_of_repository(path);
  const auto folder = home ? *home / ".town" : fs::path();
  const auto text =
      home ? read_private_file(folder / "redirect", 4096) : Result<std::string>(fail(Code::not_found, ""));
  if (!text || *text != line_for(town)) return;
  remove_private_file(folder / "redirect");
  remove_private_file(folder / ".gitignore");
  ::rmdir(folder.c_str());  // unless somebody keeps more in it
}

}  // namespace townpost
