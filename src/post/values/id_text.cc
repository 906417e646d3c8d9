#include "post/values/id_text.h"

#include "base/text.h"

namespace townpost {

namespace {
constexpr std::size_t kMostDigits = 12;                                   // 60 bits
constexpr int kBits = 5;                                                  // of a digit
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";  // no i l o u: nothing to misread
}  // namespace

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
  if (digits.empty() || digits.size() > kMostDigits || (digits.size() > 1 && digits.front() == '0'))
    return std::nullopt;
  std::uint64_t key = 0;
  for (const char c : digits) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    key = key << 5 | digit;
  }
  return static_cast<std::int64_t>(key);
}

bool is_id_digits(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits && text.find_first_not_of(kDigits) == std::string_view::npos;
}

namespace {

std::int64_t number_of(std::string_view digits) {
  std::uint64_t out = 0;
  for (const char c : digits) out = out << kBits | kDigits.find(c);
  return static_cast<std::int64_t>(out);
}

}  // namespace

std::vector<KeysAlike> keys_beginning(std::string_view digits) {
  std::vector<KeysAlike> out;
  if (!is_id_digits(digits) || digits.front() == '0') return out;
  const auto number = number_of(digits);
  for (std::size_t more = 0; digits.size() + more <= kMostDigits; ++more) {
    const auto shift = static_cast<int>(more) * kBits;
    out.push_back({.least = number << shift, .most = (number << shift) | ((std::int64_t{1} << shift) - 1)});
  }
  return out;
}

KeysAlike keys_ending(std::string_view digits) {
  const auto width = static_cast<int>(digits.size()) * kBits;
  return {.mask = (std::int64_t{1} << width) - 1, .bits = number_of(digits)};
}

}  // namespace townpost
