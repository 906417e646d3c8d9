#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delivery/tmux/harness_profile.h"
#include "delivery/tmux/styled_text.h"

namespace townpost {

/// Where a screen's input line is, and what stands in it without the prompt and the frame.
struct InputArea {
  std::size_t body_end = 0;  ///< lines before this one are the conversation
  std::size_t begin = 0;     ///< the first line of the input with its frame
  std::size_t end = 0;       ///< behind its last line
  std::vector<StyledLine> content;
};

/// The input line of a harness that is drawn as `profile` says; nothing if it is not to be seen. `lines` must not end
/// in empty lines.
std::optional<InputArea> find_input(const std::vector<StyledLine>& lines, const HarnessProfile& profile);

/// Whether `line` is a horizontal rule from the left edge, perhaps with a few words in it.
bool is_rule(std::string_view line);

/// What a person (or we) wrote there. Dimmed text and known placeholders are hints of the harness, not a draft.
std::string draft_of(const InputArea& input, const HarnessProfile& profile);

}  // namespace townpost
