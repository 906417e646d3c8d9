#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace townpost {

// Files of a folder that is its user's alone, such as a town's. Whoever may write into the folder (a sandboxed agent, a
// repository that is checked out over it) must not reach anything outside of it through us: no path is followed over a
// symbolic link, wherever in it the link stands, so paths must be canonical.

/// Opens a regular file; `flags` as for open(2). With O_CREAT a new one is for its user only (0600), whatever the umask
/// says; for the group too (0660) where its folder is shared with the group. Empty with errno if that does not work;
/// ELOOP for a link, EINVAL for what is no regular file.
FileDescriptor open_private(const std::string& path, int flags);
inline FileDescriptor open_private(const std::filesystem::path& path, int flags) {
  return open_private(path.native(), flags);
}

/// The text of a small file that every command reads; nothing if there is none, or if it is over `most` bytes. Neither
/// is its path taken apart nor an error put into words: both cost more than the reading.
std::optional<std::string> private_text(const std::string& path, std::size_t most);

/// The same for a folder, to work inside it.
FileDescriptor open_private_folder(const std::string& path, int flags);
inline FileDescriptor open_private_folder(const std::filesystem::path& path, int flags) {
  return open_private_folder(path.native(), flags);
}

/// Makes the folder and what is missing above it, 0700 (2770 below a folder that is shared with its group).
Result<> make_private_folders(const std::filesystem::path& path);

/// Removes a file, if it is there and its folder is reached over no link.
void remove_private_file(const std::filesystem::path& path);

/// Who may use a folder and what is in it, besides its owner.
enum class Privacy { owner, group };

/// Whether the folder is shared with its group on purpose: writable for it, and new files get the same group (2770).
bool is_shared_with_group(unsigned mode);

/// Gives the folder and everything in it the modes that `privacy` asks for, and `group`, if there is one. Links are
/// left alone.
Result<> set_privacy(const std::filesystem::path& folder, Privacy privacy,
                     std::optional<unsigned> group = std::nullopt);

}  // namespace townpost
