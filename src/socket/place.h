#pragma once
#include <filesystem>

#include "base/result.h"

namespace townpost {

/// Where the server of this `.town` folder listens, whichever way the folder was found: in the user's own runtime
/// folder, because a socket's path may have only 107 bytes. Empty where the user has none, or there is no such town.
std::filesystem::path socket_of_town(const std::filesystem::path& town);

/// The same, with the folders that hold it made for this user alone. Error: those are another's; unavailable.
Result<std::filesystem::path> make_place_of_socket(const std::filesystem::path& town);

}  // namespace townpost
