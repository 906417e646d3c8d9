#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

namespace townpost {

/// Whether text with this id stands in the transcript as something the model was shown; nothing if there is no
/// transcript to look into. Only its last megabytes are read: what is looked for was shown a moment ago.
std::optional<bool> transcript_shows(const std::filesystem::path& transcript, std::string_view id);

}  // namespace townpost
