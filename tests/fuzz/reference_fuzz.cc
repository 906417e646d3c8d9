#include "fuzz/fuzz.h"
#include "ops/reference.h"
#include "post/values/id_text.h"

using namespace townpost;

namespace {

bool is_among(std::int64_t key, const KeysAlike& keys) {
  return key >= keys.least && key <= keys.most && (key & keys.mask) == keys.bits;
}

}  // namespace

/// Positions, ranges and parts of ids, as they are typed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto reference = Reference::parse(text);
  if (!reference) return 0;
  CHECK(reference->places.empty() != reference->digits.empty());  // one of the two
  for (const auto& [first, last] : reference->places) {
    CHECK(first >= 0 && last >= 0 && first <= 9999 && last <= 9999);
    CHECK(first == 0 ? last == 0 : last == 0 || first <= last);  // forwards, and nothing behind the last one
  }
  if (reference->digits.empty()) return 0;
  CHECK(is_id_digits(reference->digits));
  // The part is part of what it finds.
  const auto whole = id_key("", reference->digits);
  if (whole) CHECK(id_text("", *whole) == reference->digits && is_among(*whole, keys_ending(reference->digits)));
  for (const auto& keys : keys_beginning(reference->digits)) {
    CHECK(keys.least >= 0 && keys.least <= keys.most);
    for (const auto key : {keys.least, keys.most}) CHECK(id_text("", key).starts_with(reference->digits));
  }
  constexpr std::int64_t kLongest = (std::int64_t{1} << 60) - 1;
  const auto ending = keys_ending(reference->digits);
  if (ending.mask != kLongest) CHECK(id_text("", (kLongest & ~ending.mask) | ending.bits).ends_with(reference->digits));
  return 0;
}
