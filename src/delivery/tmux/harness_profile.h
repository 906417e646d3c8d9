#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

/// What one kind of agent looks like in a terminal and how its input line is used. Escape is in none of them, because
/// it cancels the turn in all that we know.
struct HarnessProfile {
  /// How the input line is drawn.
  enum class Input {
    unknown,  ///< nothing is known: every moment is taken for idle, but that of a dialog
    ruled,    ///< between two horizontal rules
    open,     ///< the lowest line with the prompt, up to the next empty line
    boxed,    ///< beside a bar; the last line above the box's end is a status line
  };
  enum class Submit { enter, carriage_return };  ///< the key, or a literal CR where the key means something else
  /// A line above or below the input that is there only while the agent works: it begins with one of the characters in
  /// `begins` (any, if empty) and holds `holds`.
  struct BusyLine {
    enum class Where { above, below } where = Where::above;
    std::string_view begins;
    std::string_view holds;
  };

  std::string_view name;
  Input input = Input::unknown;
  std::string_view prompt;                     ///< what the input line begins with
  std::string_view other_prompt;               ///< in its place while a person writes a command for the shell
  std::vector<BusyLine> busy;                  ///< any of them means busy
  std::vector<std::string_view> placeholders;  ///< beginnings of hints that stand in an empty input line, not dimmed
  /// Words that it acts on wherever they stand in a prompt, as they are typed instead: "ultra-think" for ultrathink.
  std::vector<std::string_view> keywords;
  Submit submit = Submit::enter;
  bool takes_input_while_busy = true;
};

/// claude, codex, gemini, copilot, opencode or raw. Error: not_found.
Result<HarnessProfile> harness_profile(std::string_view name);

/// A session of which nothing is known but that it reads lines.
const HarnessProfile& raw_profile();

}  // namespace townpost
