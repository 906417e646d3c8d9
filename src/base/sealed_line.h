#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

// A line in a private file (private_files.h) that is written often: over the old one, because making a new file costs
// more than all else that a hook does. A seal in front of it tells a whole line from one that was read while somebody
// wrote it, or that a power loss cut off.

/// The line, without its end; nothing if there is none, if it is not whole, or if the file is over `most` bytes. One
/// without a seal was written by an older release, which replaced the file: it is whole.
std::optional<std::string> sealed_line(const std::string& path, std::size_t most);

/// Where several write at once, one of their lines is there whole in the end. Of a file that has a second name nothing
/// is written over: it is replaced. `line` is of one line.
Result<> write_sealed_line(const std::string& path, std::string_view line);

}  // namespace townpost
