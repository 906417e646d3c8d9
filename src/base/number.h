#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace townpost {

/// The number that `text` is, all of it: decimal digits, and a minus in front where the type has a sign. Nothing if it
/// is anything else, or does not fit.
template <class Number = std::int64_t>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace townpost
