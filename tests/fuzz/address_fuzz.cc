#include "fuzz/fuzz.h"
#include "post/values/address.h"

using namespace townpost;

namespace {

constexpr std::size_t kLongest = 200;

void check_destination(std::string_view text) {
  const auto first = Destination::parse(text);
  if (!first) return fuzz::check_error(first.error());
  CHECK(text.size() <= kLongest && first->text.size() <= kLongest);
  CHECK(fuzz::is_harmless(first->text, fuzz::Lines::one) && first->text.front() != '-');
  for (const auto& segment : first->segments) CHECK(segment == "*" || is_segment(segment));

  const auto second = Destination::parse(first->text);
  CHECK(second.has_value());
  CHECK(second->text == first->text && second->kind == first->kind);
  CHECK(second->segments == first->segments);
  // Other kinds than a bare name are never a group, queue or channel anyway, so they drop the prefix.
  CHECK(first->kind != Destination::Kind::bare_name || second->agents_only == first->agents_only);
}

void check_address(std::string_view text) {
  const auto first = Address::parse(text);
  if (!first) return fuzz::check_error(first.error());
  const auto second = Address::parse(first->str());
  CHECK(second.has_value());
  CHECK(*second == *first && second->role() == first->role());
  CHECK(second->rig() == first->rig() && second->name() == first->name());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  check_destination(text);
  check_address(text);
  return 0;
}
