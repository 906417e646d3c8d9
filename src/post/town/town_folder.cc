#include "post/town/town_folder.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/advice.h"
#include "base/files.h"
#include "base/git_places.h"
#include "base/git_tracked.h"
#include "base/number.h"
#include "base/private_files.h"
#include "base/text.h"
#include "post/town/trusted_towns.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 3> kSignsOfATown = {"town.toml", "town.db", "redirect"};

std::string shown(const fs::path& path) { return for_terminal_line(path.string()); }

Failure no_town(const std::string& looked, const TrustedTowns& trusted, Asks asks) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> names;
  for (const auto& town : trusted.known()) names.push_back(shown(town.parent_path()));
  if (names.size() > kMostNamed) names.resize(kMostNamed);
  // Only a command line has no town: a server has its own.
  const std::string choose = names.empty() ? ""
                                           : cat("choose one with ", called("", {{"town", "DIR"}}),
                                                 " or GT_TOWN (you have ", join(names, ", "), "), or ");
  return fail(Code::no_town, cat("no town here (looked in ", looked, ")"),
              choose + (asks == Asks::person ? "run " + next("init") : "ask the human to make one"));
}

bool is_in_group(gid_t group) {
  if (group == ::getegid()) return true;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int number = ::getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(0, number)));
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// The number of a group in /etc/group, or one that is written as a number. Other sources are plug-ins of the C
/// library, which a program that brings its own cannot load.
std::optional<gid_t> group_of_host(const std::string& name) {
  if (const auto number = whole_number<gid_t>(name)) return number;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/etc/group", "re"), std::fclose);
  while (const auto* entry = file ? ::fgetgrent(file.get()) : nullptr)
    if (entry->gr_name == name) return entry->gr_gid;
  return std::nullopt;
}

/// A town that nobody named is used only if this user trusts it.
Result<> need_trust(const fs::path& town, const TrustedTowns& trusted) {
  const auto verdict = trusted.judge(town);
  if (verdict.standing == TrustedTowns::Standing::trusted) return {};
  const std::string place = shown(town.parent_path());
  switch (verdict.standing) {
    case TrustedTowns::Standing::moved:
      return fail(Code::no_town,
                  cat("the town in ", place, " was moved or copied from ", shown(verdict.before.parent_path())),
                  "if that was you, run " + next("trust", {{"dir", place}}));
    case TrustedTowns::Standing::replaced:
      return fail(Code::no_town, cat("the town in ", place, " is not the one that you trusted there"),
                  "if you know where it comes from, run " + next("trust", {{"dir", place}}));
    case TrustedTowns::Standing::trusted:
    case TrustedTowns::Standing::unknown:
      break;
  }
  return fail(Code::no_town, cat("you have not trusted the town in ", place),
              "if you know where it comes from, run " + next("trust", {{"dir", place}}));
}

/// What others could read or change is taken from them. A disk that cannot be written to stays as it is.
void keep_private(const fs::path& town) {
  struct stat found {};
  if (::lstat(town.c_str(), &found) != 0 || found.st_uid != ::geteuid()) return;
  const bool shared = is_shared_with_group(found.st_mode) && (found.st_mode & S_IRWXO) == 0;
  if (!shared && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) (void)set_privacy(town, Privacy::owner);
}

/// What may be the town of `start`: in it or above, or in the repository that one of these is a worktree of.
std::optional<fs::path> nearest_town(const fs::path& start) {
  for (fs::path at = start;; at = at.parent_path()) {
    if (auto town = at / ".town"; may_be_town(town)) return town;
    if (const auto home = home_of_worktree(at); home && may_be_town(*home / ".town")) return *home / ".town";
    if (!at.has_parent_path() || at == at.parent_path()) return std::nullopt;
  }
}

/// Follows `.town/redirect` files; a chain longer than this is a circle.
constexpr int kMostRedirects = 8;

enum class Named { no, yes };

/// Whatever stands in its place counts.
bool has_redirect(const fs::path& town) {
  const auto file = open_private(cat(town.native(), "/redirect"), O_RDONLY);
  return file || (errno != ENOENT && errno != ENOTDIR);
}

Result<fs::path> follow(fs::path town, Named named, const TrustedTowns& trusted) {
  for (int hop = 0; hop < kMostRedirects; ++hop) {
    TRY_VOID(check_town_folder(town));
    if (!has_redirect(town)) {
      if (named == Named::no || hop > 0) TRY_VOID(need_trust(town, trusted));
      keep_private(town);
      return town;
    }
    TRY(target, redirect_of(town));
    if (!may_be_town(target))
      return fail(Code::no_town, cat(shown(town / "redirect"), " leads to ", shown(target), ", where there is no town"),
                  "if the town was moved, run " +
                      next("rig.add", {}, cat(" once more where it is now; else remove ", shown(town))));
    town = target;
  }
  return fail(Code::no_town, cat("the redirect of ", shown(town), " leads in a circle"),
              "correct the paths in the redirect files");
}

}  // namespace

bool may_be_town(const fs::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return false;
  if (S_ISLNK(found.st_mode)) return true;
  return S_ISDIR(found.st_mode) && std::any_of(kSignsOfATown.begin(), kSignsOfATown.end(), [&](const char* part) {
           return ::lstat(cat(path.native(), "/", part).c_str(), &found) == 0;
         });
}

Result<fs::path> redirect_of(const fs::path& town) {
  TRY(text, read_private_file(town / "redirect", 4096));
  fs::path target(std::string(trim(text)));
  if (target.is_relative()) target = town.parent_path() / target;  // relative to the folder that holds .town
  return town_named(target);
}

fs::path town_named(const fs::path& folder) {
  auto place = folder.lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (place.filename() == ".town") place = place.parent_path();
  std::error_code none;
  const auto real = fs::weakly_canonical(place, none);
  return (none ? place : real) / ".town";
}

Result<> check_town_folder(const fs::path& town) {
  struct stat found {};
  if (::lstat(town.c_str(), &found) != 0) return fail(file_error("look at", town, errno));
  if (!S_ISDIR(found.st_mode))
    return fail(
        Code::no_town,
        cat(shown(town), S_ISLNK(found.st_mode) ? " is a link, and links are not followed" : " is not a folder"),
        "make it a folder with a file redirect that holds the path");
  const bool own = found.st_uid == ::geteuid();
  const bool shared = is_shared_with_group(found.st_mode) && (found.st_mode & S_IRWXO) == 0;
  if (!own && !(shared && is_in_group(found.st_gid)))
    return fail(Code::no_town,
                cat("the town in ", shown(town.parent_path()), " is another user's (", found.st_uid, ")"),
                "do this as that user");
  if (is_tracked_by_git(town))
    return fail(Code::no_town,
                cat("the town in ", shown(town.parent_path()),
                    " is tracked by git: anyone who pushes to the repository would decide what is in it"),
                cat("take it out: git -C ", shown(town.parent_path()), " rm -r --cached .town"));
  return {};
}

Result<> share_with_group(const fs::path& town, const std::string& group) {
  struct stat found {};
  if (::lstat(town.c_str(), &found) != 0 || found.st_uid != ::geteuid()) return {};
  const bool shared = is_shared_with_group(found.st_mode);
  if (group.empty()) return shared ? set_privacy(town, Privacy::owner) : Result<>();
  const auto known = group_of_host(group);
  if (!known)
    return fail(Code::not_found,
                cat("town.toml: there is no group \"", for_terminal_line(shorten(group, 40)), "\" here"),
                "a group that is not in /etc/group is named by its number");
  if (shared && found.st_gid == *known) return {};
  return set_privacy(town, Privacy::group, *known);
}

namespace {

/// The town that a session goes on to use. It may be known in several: then the one it works in.
std::optional<fs::path> town_of_session(const SessionTies& session, const fs::path& working_folder,
                                        const TrustedTowns& trusted) {
  const auto usable = [&](const fs::path& town) -> std::optional<fs::path> {
    auto used = may_be_town(town) ? follow(town, Named::no, trusted) : Result<fs::path>(fail(Code::no_town, ""));
    return used ? std::optional(std::move(*used)) : std::nullopt;
  };
  const auto town_at = [&](const fs::path& folder) {
    const auto nearest = nearest_town(folder);
    return nearest ? usable(*nearest) : std::nullopt;
  };
  const auto& known = session.towns;
  if (known.size() > 1)
    if (auto here = town_at(working_folder); here && std::find(known.begin(), known.end(), *here) != known.end())
      return here;
  for (const auto& town : known)
    if (auto found = usable(town)) return found;
  for (const auto& folder : session.folders)
    if (auto found = town_at(folder)) return found;
  return std::nullopt;
}

}  // namespace

Result<fs::path> find_town(const std::optional<std::string>& flag, const Environment& environment, Asks asks,
                           const SessionTies& session) {
  const TrustedTowns trusted(environment);
  auto named = flag;
  if (!named) named = environment.get("GT_TOWN");
  if (!named) named = environment.get("GT_TOWN_ROOT");
  if (named) {
    const fs::path town = town_named(environment.working_folder() / *named);
    if (!may_be_town(town)) return no_town(shown(town.parent_path()), trusted, asks);
    return follow(town, Named::yes, trusted);
  }
  const fs::path start = environment.working_folder();
  if (auto kept = town_of_session(session, start, trusted)) return std::move(*kept);
  if (const auto nearest = nearest_town(start)) return follow(*nearest, Named::no, trusted);
  return no_town(cat(shown(start), " and above"), trusted, asks);
}

std::optional<fs::path> town_around(const fs::path& folder, const Environment& environment) {
  const auto nearest = nearest_town(folder);
  const auto used =
      nearest ? follow(*nearest, Named::no, TrustedTowns(environment)) : Result<fs::path>(fail(Code::no_town, "none"));
  return used ? std::optional(*used) : std::nullopt;
}

}  // namespace townpost
