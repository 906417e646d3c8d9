#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

// How much room text takes on a terminal. All of it is about text that is harmless already (for_terminal_line): an
// escape is as wide as it is long. Constant tables, no locale: a start pays nothing for them.

/// What one character adds to the line.
enum class CharacterWidth {
  nothing,  ///< it stands on the one before: accents, joiners, variation selectors
  one,
  two,   ///< of East Asia, and emoji
  mark,  ///< one column, and never apart from the letter before
};
CharacterWidth width_of(char32_t point);

/// What is seen as one character, and the columns it takes.
struct Cluster {
  std::size_t bytes = 0;
  std::size_t width = 0;
};

/// The first one of `text`, which must not be empty: a letter with its accents, an emoji with what is joined to it, a
/// flag.
Cluster first_cluster(std::string_view text);

/// How many columns well-formed `text` takes.
std::size_t display_width(std::string_view text);

/// At most `width` columns of `text`; what was cut is shown by a final "…". Nothing that is seen as one is cut in half.
std::string fit_into(std::string_view text, std::size_t width);

/// The same, but the end is kept: of paths.
std::string fit_end_into(std::string_view text, std::size_t width);

/// `text` in lines of at most `width` columns, broken between words where that is possible; nothing of it is lost but
/// spaces. At least one line.
std::vector<std::string> folded(std::string_view text, std::size_t width);

/// Whether some of it is written from right to left, which moves what stands beside it.
bool has_right_to_left(std::string_view text);

}  // namespace townpost
