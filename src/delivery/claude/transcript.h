#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

namespace townpost {

/// Whether text with this id stands in the conversation that the transcript tells of, as something the model was shown;
/// nothing if there is no transcript to look into. What a person took back does not count, nor what they still may: the
/// words that go with a prompt nobody has answered yet. Only the last megabytes are read: what is looked for was shown
/// a moment ago.
std::optional<bool> transcript_shows(const std::filesystem::path& transcript, std::string_view id);

}  // namespace townpost
