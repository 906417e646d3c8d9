#pragma once
#include <string>
#include <string_view>

#include "delivery/tmux/harness_profile.h"

namespace townpost {

/// What one capture of a pane shows.
struct PaneScreen {
  bool prompt = false;  ///< the input line is to be seen
  bool busy = false;    ///< something says that the agent works
  bool dialog = false;  ///< a dialog or selection list is open: Enter would answer it
  std::string asks;     ///< what the dialog says it is about, a line of it; empty if that is not to be seen
  std::string draft;    ///< what stands in the input line, several lines joined by newlines; hints do not count
  std::string body;     ///< everything above the input line: it changes when the agent does something
};

/// Reads `capture` (of `capture-pane -e -p`: only colours tell a hint from a draft).
PaneScreen read_screen(std::string_view capture, const HarnessProfile& profile);

/// Whether `line` begins with the prompt: the whole line, or followed by a space. Never for an empty `prompt`.
bool is_prompt_line(std::string_view line, std::string_view prompt);

/// Whether `draft` is what a harness shows in place of a long text that was pasted: "[Pasted text #1 +12 lines]".
bool is_folded_paste(std::string_view draft);

/// `text` without white space.
std::string squeezed(std::string_view text);

}  // namespace townpost
