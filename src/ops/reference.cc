#include "ops/reference.h"

#include "base/number.h"
#include "base/text.h"
#include "post/values/id_text.h"

namespace townpost {

namespace {

// A longer number is rather part of an id: no list that somebody looks at has so many.
constexpr std::size_t kPlaceDigits = 4;
constexpr std::size_t kLongest = 200;
// Fewer characters are a slip of the finger; behind the prefix they are meant.
constexpr std::size_t kLeastDigits = 3;
constexpr std::size_t kLeastBehindPrefix = 1;

std::optional<std::int64_t> place(std::string_view text) {
  if (text == "last") return 0;
  if (text.starts_with('#')) text.remove_prefix(1);
  if (text.empty() || text.size() > kPlaceDigits || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  const auto number = whole_number(text);
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<Reference::Places> places(std::string_view text) {
  std::size_t dash = text.find('-');
  std::size_t behind = dash + 1;
  if (dash == std::string_view::npos) {
    dash = text.find("..");
    behind = dash + 2;
  }
  const auto first = place(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : place(text.substr(behind));
  if (!first || !last || (*first != 0 && *last != 0 && *first > *last) || (*first == 0 && *last != 0))
    return std::nullopt;
  return Reference::Places{*first, *last};
}

std::optional<std::vector<Reference::Places>> all_places(std::string_view text) {
  std::vector<Reference::Places> out;
  for (const auto part : split(text, ',')) {
    const auto one = places(trim(part));
    if (!one) return std::nullopt;
    out.push_back(*one);
  }
  return out;
}

}  // namespace

std::optional<Reference> Reference::parse(std::string_view text) {
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const auto lower = lower_ascii(text);
  if (auto found = all_places(lower)) return Reference{std::move(*found), ""};
  std::string_view digits = lower;
  std::size_t least = kLeastDigits;
  for (const std::string_view prefix : {"hq-m-", "hq-n-"})
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      least = kLeastBehindPrefix;
      break;
    }
  if (digits.size() < least || !is_id_digits(digits)) return std::nullopt;
  return Reference{{}, std::string(digits)};
}

}  // namespace townpost
