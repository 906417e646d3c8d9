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

enum class Lines { one, several };

/// That a terminal shows `text` as it stands: no control characters, no marks that turn the direction of reading.
inline bool is_harmless(std::string_view text, Lines lines) {
  bool harmless = is_utf8(text);
  for_each_character(text, [&](char32_t c, std::string_view) {
    const bool line_break = c == '\n' || c == '\t';
    if (line_break && lines == Lines::several) return;
    const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
    const bool direction =
        c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    harmless = harmless && !control && !direction;
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
