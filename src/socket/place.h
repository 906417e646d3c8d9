#pragma once
#include <filesystem>

namespace townpost {

/// Where the server of this `.town` folder listens, whichever way the folder was found: in the user's own runtime
/// folder, because a socket's path may have only 107 bytes. Empty where the user has none, or there is no such town.
std::filesystem::path socket_of_town(const std::filesystem::path& town);

}  // namespace townpost
