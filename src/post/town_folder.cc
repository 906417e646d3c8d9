#include "post/town_folder.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0;
}

bool is_folder(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

/// The `.town` of a folder that may be named with or without it, and with a slash at the end.
fs::path town_in(fs::path folder) {
  folder = folder.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.filename() == ".town" ? folder : folder / ".town";
}

Failure no_town(const fs::path& looked) {
  return fail(Code::no_town, cat("no town here (looked in ", for_terminal_line(looked.string()), ")"), "run gt init");
}

/// Follows `.town/redirect` files; a chain longer than this is a circle.
constexpr int kMostRedirects = 8;

Result<fs::path> follow(fs::path town) {
  for (int hop = 0; hop < kMostRedirects; ++hop) {
    const fs::path redirect = town / "redirect";
    if (!is_there(redirect)) return town;
    TRY(text, read_file(redirect, 4096));
    fs::path target(std::string(trim(text)));
    if (target.is_relative()) target = town.parent_path() / target;  // relative to the folder that holds .town
    target = town_in(target);
    if (!is_folder(target))
      return fail(Code::no_town,
                  cat(for_terminal_line(redirect.string()), " leads to ", for_terminal_line(target.string()),
                      ", where there is no town"),
                  "correct the path in it, or remove it");
    town = target;
  }
  return fail(Code::no_town, cat("the redirect of ", for_terminal_line(town.string()), " leads in a circle"),
              "correct the paths in the redirect files");
}

}  // namespace

Result<fs::path> find_town(const std::optional<std::string>& flag, const Environment& environment) {
  auto named = flag;
  if (!named) named = environment.get("GT_TOWN");
  if (!named) named = environment.get("GT_TOWN_ROOT");
  if (named) {
    const fs::path folder = town_in(environment.working_folder() / *named);
    if (!is_folder(folder)) return no_town(folder.parent_path());
    return follow(folder);
  }
  const fs::path start = environment.working_folder();
  for (fs::path at = start;; at = at.parent_path()) {
    if (is_folder(at / ".town")) return follow(at / ".town");
    if (!at.has_parent_path() || at == at.parent_path()) break;
  }
  return fail(Code::no_town, cat("no town here (looked in ", for_terminal_line(start.string()), " and above)"),
              "run gt init");
}

}  // namespace townpost
