#include <cmath>

#include "base/json.h"
#include "fuzz/fuzz.h"

using namespace townpost;

namespace {

/// Equal, but for the last digits of fractions, which Boost 1.81 does not promise to keep.
bool alike(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_double()) return std::abs(a.get_double() - b.get_double()) <= 1e-12 * std::abs(a.get_double());
  if (a.is_array())
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), alike);
  if (a.is_object())
    return std::equal(a.get_object().begin(), a.get_object().end(), b.get_object().begin(), b.get_object().end(),
                      [](const auto& x, const auto& y) { return x.key() == y.key() && alike(x.value(), y.value()); });
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = parse_json(fuzz::as_text(data, size));
  if (!value) {
    fuzz::check_error(value.error());
    return 0;
  }
  const auto line = to_line(*value);
  CHECK(is_utf8(line) && line.find('\n') == std::string::npos && line.find('\0') == std::string::npos);
  const auto again = parse_json(line);
  CHECK(again.has_value());
  CHECK(alike(*again, *value));
  const auto pretty = parse_json(to_pretty(*value));
  CHECK(pretty.has_value());
  CHECK(alike(*pretty, *value));
  return 0;
}
