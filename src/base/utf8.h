#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace townpost {

/// One step through text that may be ill-formed: a character, or the bytes that U+FFFD stands for.
struct Utf8Step {
  char32_t point = 0;
  std::size_t bytes = 1;
  bool well_formed = true;
};

constexpr char32_t kReplacement = 0xFFFD;

/// The first step of `text`, which must not be empty. Ill-formed bytes are taken together as Unicode advises: as long
/// as they could have begun a character.
Utf8Step first_step(std::string_view text);

void append_utf8(std::string& out, char32_t point);

/// Shows `text` to `each(point, bytes)` one character at a time, ill-formed bytes as U+FFFD; `bytes` is its UTF-8.
template <class Each>
void for_each_character(std::string_view text, Each each) {
  while (!text.empty()) {
    const Utf8Step step = first_step(text);
    each(step.point, step.well_formed ? text.substr(0, step.bytes) : std::string_view("\uFFFD"));
    text.remove_prefix(step.bytes);
  }
}

}  // namespace townpost
