#include "base/clock.h"
#include "fuzz/fuzz.h"

using namespace townpost;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  if (const auto at = parse_instant(text)) {
    const auto spelled = rfc3339(*at);
    const auto again = parse_instant(spelled);
    CHECK(again.has_value());
    CHECK(rfc3339(*again) == spelled);
    // An offset may lead out of the years that can be spelled; within them nothing is lost.
    const bool spellable =
        *at >= *parse_instant("0000-01-01T00:00:00Z") && *at <= *parse_instant("9999-12-31T23:59:59.999Z");
    CHECK(!spellable || *again == *at);
  }
  if (const auto duration = parse_duration(text)) {
    CHECK(*duration >= Millis(0) && *duration <= std::chrono::years(100));
    CHECK(!age(*duration).empty());
  } else {
    fuzz::check_error(duration.error());
  }
  return 0;
}
