#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

namespace townpost {

// Ids of the town: a prefix and a number in a few characters. The upper part of the number grows with every thing of
// its kind, the lower bits are chance, so that an id is order of time and cannot be guessed from another.
constexpr int kChanceBits = 20;

std::int64_t key_with_chance(std::int64_t seq, Random& random);
std::string id_text(std::string_view prefix, std::int64_t key);
/// The number of an id, if `text` is one with this prefix, spelled as id_text spells it.
std::optional<std::int64_t> id_key(std::string_view prefix, std::string_view text);

}  // namespace townpost
