#include "protocol/values.h"

#include <algorithm>

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "protocol/protocol_type.h"

namespace townpost::protocol {

bool is_thread_name(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return !text.empty() && text.size() <= kLongest && is_utf8(text) &&
         std::all_of(text.begin(), text.end(), [](unsigned char byte) { return byte > ' ' && byte != 0x7f; });
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  return whole_number(text);
}

std::optional<std::int64_t> read_percent(std::string_view text) {
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    text = strip(text);
  }
  return read_integer(text);
}

std::optional<bool> read_flag_word(std::string_view text) {
  if (!word_in("PASS|TRUE|YES|OK", text).empty()) return true;
  if (!word_in("FAIL|FALSE|NO", text).empty()) return false;
  return std::nullopt;
}

bool read_flag(std::string_view text) {
  return read_flag_word(text.substr(0, text.find_first_of(" \t,;.(:"))).value_or(false);
}

bool is_instant(std::string_view text) {
  if (!parse_instant(text)) return false;
  // The clock also takes an instant without an offset for UTC; RFC 3339 does not.
  return text.ends_with('Z') || text.ends_with('z') || text[text.size() - 6] == '+' || text[text.size() - 6] == '-';
}

std::optional<std::string_view> bullet_in(std::string_view line) {
  line = strip(line);
  if (line.empty() || (line[0] != '-' && line[0] != '*')) return std::nullopt;
  if (line.size() > 1 && line[1] != ' ' && line[1] != '\t') return std::nullopt;
  return strip(line.substr(1));
}

}  // namespace townpost::protocol
