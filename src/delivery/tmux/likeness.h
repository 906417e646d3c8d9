#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace townpost {

/// What a typed text may look like on a screen. White space does not count, because lines are wrapped as a program
/// likes. Characters of which it is known must be there as they are; of the rest (emoji, combining marks, invisible
/// characters, …) harnesses and terminals compose some and leave out others, but never more is shown than was typed,
/// and nothing of it in ASCII.
class Likeness {
 public:
  explicit Likeness(std::string_view typed);

  /// Whether `shown` is the whole text.
  bool is_all(std::string_view shown) const;
  /// Whether `shown` is the text or a part of it, as much as there was room for. Never if nothing is shown.
  bool is_part(std::string_view shown) const;
  /// Whether the whole text is to be seen somewhere in `shown`.
  bool is_within(std::string_view shown) const;
  /// Whether `shown` ends in the whole text.
  bool is_end(std::string_view shown) const;

  /// Whether each of its characters is known to be shown as it is.
  bool is_plain() const { return loose() == 0; }

 private:
  struct Mark {
    char32_t point;
    bool loose;  ///< may be missing, or another character beyond ASCII
  };
  enum class From { start, anywhere };  ///< of what is shown
  enum class To { end, anywhere };
  enum class Whole { yes, no };  ///< of the text
  bool holds_only_loose() const { return loose() == marks_.size(); }
  std::size_t loose() const;
  static bool matches(const Mark& mark, char32_t shown);
  bool runs(const std::u32string& shown, From from, To to, Whole whole) const;

  std::u32string points_;  ///< of the text
  std::vector<Mark> marks_;
};

/// The characters of `text` that take room on a screen, white space aside.
std::u32string visible_points(std::string_view text);

/// Whether a character shows nothing: white space beyond ASCII, marks of direction, joiners and the like. Harnesses
/// take such characters out of what they are given before they look at it.
bool is_invisible(char32_t point);

/// Whether a character is drawn into the one before it: accents, the parts of a Hangul syllable, skin tones.
bool is_combining(char32_t point);

/// The ASCII character that Unicode takes a point for, such as K for the sign of the kelvin; else the point itself.
char32_t canonical(char32_t point);

}  // namespace townpost
