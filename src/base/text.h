#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace townpost {

/// One part of a cat(): a text, seen where it stands, or a character or an integer, written out. It lives as long as
/// the call does.
class Piece {  // NOLINT(cppcoreguidelines-special-member-functions): it is never moved either
 public:
  // NOLINTBEGIN(google-explicit-constructor): cat("no message ", id) needs no more words
  Piece(std::string_view text) : text_(text) {}
  Piece(const std::string& text) : text_(text) {}
  Piece(const char* text) : text_(text) {}
  Piece(char letter) : digits_{letter}, text_(digits_, 1) {}
  template <class N>
  requires std::is_integral_v<N> Piece(N number)
      : text_(digits_,
              static_cast<std::size_t>(std::to_chars(digits_, std::end(digits_), widened(number)).ptr - digits_)) {}
  // NOLINTEND(google-explicit-constructor)
  Piece(const Piece&) = delete;  // the view may be of its own digits
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  template <class N>
  static auto widened(N number) {
    if constexpr (std::is_signed_v<N>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
  char digits_[20];
  std::string_view text_;
};

/// Joins strings, characters and integers into one string: cat("no message ", id, " of ", 3). Plain functions, because
/// a template over string literals is compiled once for each of their lengths.
std::string joined(std::initializer_list<const Piece*> pieces);
inline std::string cat() { return {}; }
inline std::string cat(const Piece& a) { return joined({&a}); }
inline std::string cat(const Piece& a, const Piece& b) { return joined({&a, &b}); }
inline std::string cat(const Piece& a, const Piece& b, const Piece& c) { return joined({&a, &b, &c}); }
inline std::string cat(const Piece& a, const Piece& b, const Piece& c, const Piece& d) {
  return joined({&a, &b, &c, &d});
}
inline std::string cat(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e) {
  return joined({&a, &b, &c, &d, &e});
}
template <class... More>
std::string cat(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e, const More&... more) {
  return cat(cat(a, b, c, d, e), cat(more...));
}

// ---- UTF-8 -------------------------------------------------------------------------------------------------------

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF). NUL is well-formed.
bool is_utf8(std::string_view text);

/// `text` with every ill-formed byte sequence replaced by U+FFFD.
std::string to_utf8(std::string_view text);

/// How many characters (code points) well-formed `text` has.
std::size_t length_in_characters(std::string_view text);

/// The longest prefix of well-formed `text` with at most `characters` code points; never cuts one in half.
std::string_view first_characters(std::string_view text, std::size_t characters);

/// The longest prefix of well-formed `text` with at most `bytes` bytes; never cuts a character in half.
std::string_view first_bytes(std::string_view text, std::size_t bytes);

/// At most `characters` code points; what was cut is shown by a final "…" (which is counted).
std::string shorten(std::string_view text, std::size_t characters);

/// Simple case folding of every script the C library knows, one code point at a time, for comparing without case.
std::string fold_case(std::string_view text);

// ---- pieces ------------------------------------------------------------------------------------------------------

/// Without white space (space, tab, CR, LF) at both ends.
std::string_view trim(std::string_view text);
/// The parts are views of `text`, so it must outlive them: a temporary string does not compile.
std::vector<std::string_view> split(std::string_view text, char separator);
template <class Text>
requires std::is_same_v<std::remove_const_t<Text>, std::string> std::vector<std::string_view> split(Text&& temporary,
                                                                                                    char separator)
= delete;
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// ASCII letters in lower case; other bytes unchanged.
std::string lower_ascii(std::string_view text);

/// FNV-1a, 64 bit: to find candidates for equality, never to prove it.
std::uint64_t digest64(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

/// How many single-character edits (insert, delete, replace, swap of neighbours) turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// `text` in lines of at most `width` characters where words allow it, each but the first behind `indent` spaces. The
/// first line is taken to begin at `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// Up to `most` of `known` that `wanted` was probably meant to be, nearest first. Case does not count.
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& known, std::size_t most = 3);

// ---- escaping: text from agents is data ---------------------------------------------------------------------------

/// Safe to print on a terminal: control characters (C0 but tab and newline, DEL, C1) and hidden ones (marks of
/// direction, characters without width, tags) become visible escapes such as \x1b or \u{202e}; ill-formed UTF-8 becomes
/// U+FFFD. What joins emoji, or the letters of a script that joins them, stays.
std::string for_terminal(std::string_view text);

/// for_terminal, and newlines and tabs become spaces: one line stays one line.
std::string for_terminal_line(std::string_view text);

/// Newlines and tabs become spaces.
std::string one_line(std::string_view text);

/// JSON that may be printed on a terminal: what for_terminal would escape is written as \uXXXX, so it is still the same
/// value; ill-formed UTF-8 becomes U+FFFD.
std::string json_for_terminal(std::string_view json);

/// Safe as HTML text and as a quoted attribute: & < > " ' are entities, control characters but tab and newline are
/// dropped.
std::string for_html(std::string_view text);

/// Safe inside a block of an agent's prompt, and inside "…" there: it cannot open or close either. Angle brackets
/// become ‹ and ›, double quotes and backticks become ' (with everything that looks like them), newlines, tabs and
/// control characters become spaces, runs of spaces become one, hidden characters are dropped. One line.
std::string for_prompt(std::string_view text);

/// for_prompt of at most `most` characters; what was cut is shown by a final "…".
std::string for_prompt(std::string_view text, std::size_t most);

/// Safe inside a block with its lines and quotes kept, for text of which every line is marked: angle brackets become
/// ‹ and ›, tabs become spaces, control and hidden characters are dropped, and so are newlines at its end.
std::string for_prompt_lines(std::string_view text);

/// The words of somebody else in a sentence of the town: "…", with at most `most` characters inside. No quotation mark
/// is left in them but ’, so that nothing ends them early, not even where the sentence itself is quoted by for_prompt.
std::string in_quotes(std::string_view text, std::size_t most);

/// Whether a shell takes it for one word and nothing more, and a program for no option: fit for a command that somebody
/// may copy.
bool is_plain_word(std::string_view text);

}  // namespace townpost
