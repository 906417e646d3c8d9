#pragma once
#include <filesystem>

#include "base/result.h"

namespace townpost {

/// Where a user's processes find each other, whatever town they are of: below the user's runtime folder, else below the
/// system's temporary one. It need not be there yet. Empty if there is something of that name that is not the user's
/// alone.
std::filesystem::path user_folder();

/// Makes a folder for this user alone, if it is missing. Error: forbidden, if it is another's or open to others;
/// unavailable.
Result<> make_own_folder(const std::filesystem::path& folder);

/// The same for the user's folder.
Result<std::filesystem::path> make_user_folder();

}  // namespace townpost
