#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// One line of a terminal: its text, and for every byte of it how it is shown.
struct StyledLine {
  static constexpr char kDim = 1;
  static constexpr char kInverse = 2;
  std::string text;
  std::string style;  ///< as long as `text`; each byte a sum of the above

  StyledLine from(std::size_t byte) const { return {text.substr(byte), style.substr(byte)}; }
};

/// Reads what `tmux capture-pane -e -p` printed (a capture without colours is fine too). Escape sequences and control
/// characters are gone, no-break spaces are spaces, white space at the end of lines is dropped.
std::vector<StyledLine> styled_lines(std::string_view capture);

}  // namespace townpost
