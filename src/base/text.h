#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace townpost {

namespace detail {
inline void append(std::string& out, std::string_view part) { out.append(part); }
inline void append(std::string& out, char part) { out.push_back(part); }
template <class N>
requires std::is_integral_v<N>
void append(std::string& out, N part) { out.append(std::to_string(part)); }
}  // namespace detail

/// Joins strings, characters and integers into one string: cat("no message ", id, " of ", 3).
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
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
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// ASCII letters in lower case; other bytes unchanged.
std::string lower_ascii(std::string_view text);

/// FNV-1a, 64 bit: to find candidates for equality, never to prove it.
std::uint64_t digest64(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

/// How many single-character edits (insert, delete, replace, swap of neighbours) turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Up to `most` of `known` that `wanted` was probably meant to be, nearest first. Case does not count.
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& known, std::size_t most = 3);

// ---- escaping: text from agents is data ---------------------------------------------------------------------------

/// Safe to print on a terminal: control characters (C0 but tab and newline, DEL, C1) and the invisible direction marks
/// become visible escapes such as \x1b or \u{202e}; ill-formed UTF-8 becomes U+FFFD.
std::string for_terminal(std::string_view text);

/// for_terminal, and newlines and tabs become spaces: one line stays one line.
std::string for_terminal_line(std::string_view text);

/// Safe as HTML text and as a quoted attribute: & < > " ' are entities, control characters but tab and newline are
/// dropped.
std::string for_html(std::string_view text);

/// Safe inside a block of an agent's prompt: it cannot open or close one. `<` and `>` become ‹ and ›, backticks become
/// ', newlines, tabs and control characters become spaces, runs of spaces become one. One line.
std::string for_prompt(std::string_view text);

}  // namespace townpost
