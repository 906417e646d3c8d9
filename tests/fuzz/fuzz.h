#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"

/// What libFuzzer calls, again and again. A property that does not hold aborts by CHECK.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace townpost::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Takes the first part of `rest`, up to `separator`, off it.
inline std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// How long a piece or a limit is to be: 1 to 10,000.
inline std::size_t as_size(std::string_view text) {
  std::size_t value = 0;
  for (const char c : text.substr(0, 4))
    value = value * 10 + (c >= '0' && c <= '9' ? static_cast<std::size_t>(c - '0') : 0);
  return value + 1;
}

enum class Lines { one, several };

/// Whether nobody sees it. Of those that may shape what is seen only a few are known here, and none behind ASCII but in
/// a keycap.
inline bool is_unseen(char32_t c, char32_t before) {
  const auto in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (c == 0x200C || c == 0x200D || c == 0xFE0E || c == 0xFE0F) return before < 0x23 || (before > '9' && before < 0xA9);
  return c == 0xAD || c == 0x34F || c == 0x61C || in(0x115F, 0x1160) || in(0x180B, 0x180F) || in(0x200B, 0x200F) ||
         in(0x202A, 0x202E) || in(0x2060, 0x206F) || c == 0x3164 || in(0xFE00, 0xFE0D) || c == 0xFEFF || c == 0xFFA0 ||
         in(0xFFF0, 0xFFFB) || in(0x1D173, 0x1D17A) || in(0xE0000, 0xE0FFF);
}

/// That a terminal shows `text` as it stands: no control characters, nothing that hides or turns the direction of
/// reading.
inline bool is_harmless(std::string_view text, Lines lines) {
  bool harmless = is_utf8(text);
  char32_t before = 0;
  for_each_character(text, [&](char32_t c, std::string_view) {
    const bool line_break = c == '\n' || c == '\t';
    const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
    harmless = harmless && ((line_break && lines == Lines::several) || !control) && !is_unseen(c, before);
    before = c;
  });
  return harmless;
}

/// That an error is one a user can be shown: something is said, in UTF-8, and a usage error for text that was not
/// understood.
inline void check_error(const Error& error) {
  CHECK(!error.message.empty());
  CHECK(is_utf8(error.message));
  CHECK(is_utf8(error.hint));
}

}  // namespace townpost::fuzz
