#pragma once
#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace townpost {

/// C0 but also DEL and C1: what a terminal obeys.
bool is_control(char32_t point);

/// Unicode's own line breaks: no control characters, but some programs begin a new line at them.
bool is_line_separator(char32_t point);

/// Whether nobody sees a character that programs and models read nevertheless: marks of direction, characters without
/// width, tags, variation selectors, fillers, what is no character at all.
bool is_hidden(char32_t point);

/// Whether a hidden character between these two shapes what is seen: it joins emoji or the letters of a script that
/// joins them (Arabic, Devanagari, …), or says that a sign is an emoji. At most one stands between two that are seen.
bool shapes(char32_t before, char32_t point, char32_t after);

enum class Sight { seen, hidden };

/// for_each_character, with whether it is seen (or shapes what is): `each(point, bytes, sight)`. Taking the hidden ones
/// out, or showing something in their place, hides no others.
template <class Each>
void for_each_sight(std::string_view text, Each each) {
  char32_t before = 0;  // nothing, behind a hidden one: what is shown in its place joins nothing
  for (std::size_t size = 0; !text.empty(); text.remove_prefix(size)) {
    const Utf8Step step = first_step(text);
    size = step.bytes;
    Sight sight = Sight::seen;
    if (is_hidden(step.point)) {
      const auto rest = text.substr(size);
      const char32_t after = rest.empty() ? 0 : first_step(rest).point;
      if (!shapes(before, step.point, after)) sight = Sight::hidden;
    }
    before = sight == Sight::seen ? step.point : 0;
    each(step.point, step.well_formed ? text.substr(0, size) : std::string_view("\uFFFD"), sight);
  }
}

}  // namespace townpost
