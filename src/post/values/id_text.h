#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace townpost {

// Ids of the town: a prefix and a number in a few characters. The upper part of the number grows with every thing of
// its kind, the lower bits are chance, so that an id is order of time and cannot be guessed from another.
constexpr int kChanceBits = 20;

std::int64_t key_with_chance(std::int64_t seq, Random& random);
std::string id_text(std::string_view prefix, std::int64_t key);
/// The number of an id, if `text` is one with this prefix, spelled as id_text spells it.
std::optional<std::int64_t> id_key(std::string_view prefix, std::string_view text);

/// Whether an id may be written with these behind its prefix, or end or begin with them: one to twelve of its digits.
bool is_id_digits(std::string_view text);

/// Keys of ids that are alike: between two, with these lower bits.
struct KeysAlike {
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  std::int64_t mask = 0;
  std::int64_t bits = 0;
};
/// The keys of ids that begin with these digits: a span for each length that an id may have, the shortest first.
std::vector<KeysAlike> keys_beginning(std::string_view digits);
/// Those of ids that end with them.
KeysAlike keys_ending(std::string_view digits);

}  // namespace townpost
