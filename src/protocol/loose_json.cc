#include "protocol/loose_json.h"

#include <optional>

#include "base/text.h"

namespace townpost::protocol {

namespace {

constexpr std::string_view kByteOrderMark = "\uFEFF";
constexpr std::size_t kEscape = 6;  // \u0041

/// The number of an escape like \u0041 at the beginning of `text`.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  for (const char digit : text.substr(2, 4)) {
    unit *= 16;
    if (digit >= '0' && digit <= '9')
      unit += static_cast<unsigned>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      unit += static_cast<unsigned>(digit - 'a') + 10;
    else if (digit >= 'A' && digit <= 'F')
      unit += static_cast<unsigned>(digit - 'A') + 10;
    else
      return std::nullopt;
  }
  return unit;
}

bool is_first_half(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_second_half(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

std::string readable_json(std::string_view text) {
  const std::string clean = to_utf8(text);
  std::string_view rest = clean;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::string out;
  out.reserve(rest.size());
  const auto take = [&](std::size_t bytes) {
    out += rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  };
  while (!rest.empty()) {
    take(std::min(rest.find('\\'), rest.size()));
    if (rest.empty()) break;
    const auto unit = escaped_unit(rest);
    if (!unit) {
      take(std::min<std::size_t>(2, rest.size()));  // the whole escape: the second backslash of \\ begins no other
      continue;
    }
    const auto next = escaped_unit(rest.substr(kEscape));
    if (is_first_half(*unit) && next && is_second_half(*next)) {
      take(2 * kEscape);
    } else if (is_first_half(*unit) || is_second_half(*unit)) {
      out += "\\ufffd";
      rest.remove_prefix(kEscape);
    } else {
      take(kEscape);
    }
  }
  return out;
}

}  // namespace townpost::protocol
