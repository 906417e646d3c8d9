#include "post/values/id_text.h"

#include "base/text.h"

namespace townpost {

namespace {
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";  // no i l o u: nothing to misread
}

std::int64_t key_with_chance(std::int64_t seq, Random& random) {
  const auto chance = static_cast<std::int64_t>(random.bits() & ((1u << kChanceBits) - 1));
  return (seq << kChanceBits) | chance;
}

std::string id_text(std::string_view prefix, std::int64_t key) {
  std::string digits;
  for (auto rest = static_cast<std::uint64_t>(key); rest != 0 || digits.empty(); rest >>= 5)
    digits.insert(digits.begin(), kDigits[rest & 31]);
  return cat(prefix, digits);
}

std::optional<std::int64_t> id_key(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  const auto digits = text.substr(prefix.size());
  if (digits.empty() || digits.size() > 12 || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  std::uint64_t key = 0;
  for (const char c : digits) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    key = key << 5 | digit;
  }
  return static_cast<std::int64_t>(key);
}

}  // namespace townpost
