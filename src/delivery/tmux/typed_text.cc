#include "delivery/tmux/typed_text.h"

#include "base/sight.h"
#include "base/text.h"
#include "delivery/tmux/likeness.h"

namespace townpost {

namespace {

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

/// What does not end the beginning of a line: harnesses take it away before they look.
bool is_nothing(char32_t point) { return point == U' ' || is_invisible(point) || is_combining(point); }

bool is_skin_tone(char32_t point) { return point >= 0x1F3FB && point <= 0x1F3FF; }

bool is_word(char32_t point) {
  return point == U'_' || (point >= U'0' && point <= U'9') || (point >= U'a' && point <= U'z');
}

/// A text as a harness looks for keywords in it: in lower case, without invisible characters. `at`: where in the text
/// each character is.
struct Searched {
  explicit Searched(std::string_view text) {
    std::size_t offset = 0;
    for_each_character(text, [&](char32_t point, std::string_view bytes) {
      if (!is_invisible(point)) {
        point = canonical(point);
        points += point >= U'A' && point <= U'Z' ? point - U'A' + U'a' : point;
        at.push_back(offset);
      }
      offset += bytes.size();
    });
  }
  /// What is invisible between two letters may be nothing to a harness, or a space: only if they touch is it one word.
  bool is_one_word(std::size_t left, std::size_t right) const {
    return right < points.size() && is_word(points[left]) && is_word(points[right]) && at[left] + 1 == at[right];
  }
  bool is_word_at(std::size_t from, std::size_t to) const {
    return (from == 0 || !is_one_word(from - 1, from)) && !is_one_word(to - 1, to);
  }
  std::u32string points;
  std::vector<std::size_t> at;
};

/// Writes the keyword with its hyphen, as `typed` has it, wherever it stands in the text as a word.
std::string with_broken(std::string text, std::string_view typed) {
  const auto hyphen = typed.find('-');
  std::u32string word(typed.begin(), typed.end());
  word.erase(hyphen, 1);
  const Searched searched(text);
  for (auto found = searched.points.rfind(word); found != std::u32string::npos;
       found = found == 0 ? std::u32string::npos : searched.points.rfind(word, found - 1))
    if (searched.is_word_at(found, found + word.size())) text.insert(searched.at[found + hyphen], 1, '-');
  return text;
}

}  // namespace

std::string typed_text(std::string_view text, const HarnessProfile& profile) {
  std::string out;
  out.reserve(text.size() + 16);
  bool line_start = true;
  for_each_sight(text, [&](char32_t point, std::string_view bytes, Sight sight) {
    if (point == U'\t') {
      out += ' ';
    } else if (point == U'\n') {
      out += '\n';
      line_start = true;
    } else if (is_skin_tone(point) && profile.input != HarnessProfile::Input::unknown) {
      // tmux before 3.4 gives it two cells of its own, a harness none: from there on the whole screen would be shifted,
      // and nobody could read the input line any more.
    } else if (sight == Sight::seen && !is_control(point) && !is_line_separator(point)) {
      if (point == U'@' || (line_start && acts_at_line_start(point))) {
        append_utf8(out, full_width(point));
      } else {
        out += bytes;
      }
      line_start = line_start && is_nothing(point);
    }
  });
  std::string typed(without_newlines_around(out));
  for (const auto keyword : profile.keywords) typed = with_broken(std::move(typed), keyword);
  // A backslash before Enter means "one more line" to several harnesses: the text would never be submitted.
  if (!typed.empty() && typed.back() == '\\') typed += ' ';
  return typed;
}

}  // namespace townpost
