#include "delivery/tmux/typed_text.h"

#include "base/text.h"
#include "base/utf8.h"

namespace townpost {

namespace {

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

// Harnesses trim what they are given before they look at its first character, so a space in front does not help; and
// `@` opens a list of files that Enter would choose from. The full-width form of the character is one that no harness
// knows and that everybody reads the same way.
char32_t full_width(char32_t ascii) { return ascii - U'!' + U'！'; }

bool acts_at_line_start(char32_t point) { return point == U'/' || point == U'!' || point == U'#'; }

std::string_view without_newlines_around(std::string_view text) {
  const auto first = text.find_first_not_of('\n');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of('\n') - first + 1);
}

}  // namespace

std::string typed_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  bool line_start = true;
  for_each_character(text, [&](char32_t point, std::string_view bytes) {
    if (point == U'\t') {
      out += ' ';
    } else if (point == U'\n') {
      out += '\n';
      line_start = true;
    } else if (!is_control(point)) {
      if (point == U'@' || (line_start && acts_at_line_start(point))) {
        append_utf8(out, full_width(point));
      } else {
        out += bytes;
      }
      line_start = line_start && point == U' ';
    }
  });
  std::string typed(without_newlines_around(out));
  // A backslash before Enter means "one more line" to several harnesses: the text would never be submitted.
  if (!typed.empty() && typed.back() == '\\') typed += ' ';
  return typed;
}

}  // namespace townpost
