#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"

namespace townpost {

// Where towns are and whose they are. All of it looks at files, and keeps nothing: any thread may ask.

/// Who wants a town: only a person is told how to make one.
enum class Asks { person, agent };

/// What ties the agent's session around the caller to a town, wherever it has gone since.
struct SessionTies {
  std::vector<std::filesystem::path> towns;    ///< those in which it is known, the first one first
  std::vector<std::filesystem::path> folders;  ///< where it began, as far as that is known
};

/// The town's `.town` folder (canonical): of `flag` if given, else GT_TOWN (or GT_TOWN_ROOT), else that of the agent's
/// session, else the nearest ancestor of the working folder that has one; a linked worktree's repository counts as
/// such. A file `.town/redirect` sends on to another town. A town that was only found, and one that was only led to,
/// must be trusted (trusted_towns.h); every one must pass check_town_folder(). What others could read in it is taken
/// from them. Error: no_town, naming where we looked or why the town is not used.
Result<std::filesystem::path> find_town(const std::optional<std::string>& flag, const Environment& environment,
                                        Asks asks = Asks::person, const SessionTies& session = {});

/// The town that commands in `folder` use if nobody names one; nothing if there is none that they would.
std::optional<std::filesystem::path> town_around(const std::filesystem::path& folder, const Environment& environment);

/// That nobody else decides what is in this `.town` folder: it is no link, it is the caller's own (or shared with a
/// group of the caller's), and git does not track it. Error: no_town.
Result<> check_town_folder(const std::filesystem::path& town);

/// Whether there is a town, or the way to one: a folder with settings, a store or a redirect in it. A link counts, too:
/// it is told about and not followed.
bool may_be_town(const std::filesystem::path& town);

/// Where the file `redirect` of this folder leads: a `.town`. Error: not_found if there is none.
Result<std::filesystem::path> redirect_of(const std::filesystem::path& town);

/// Sees to it that the members of `group` may use the caller's own town as well, and nobody else; with an empty name,
/// only the caller. Error: not_found if there is no such group.
Result<> share_with_group(const std::filesystem::path& town, const std::string& group);

/// The `.town` of a folder that may be named with or without it: canonical, but that `.town` itself may be a link.
std::filesystem::path town_named(const std::filesystem::path& folder);

}  // namespace townpost
