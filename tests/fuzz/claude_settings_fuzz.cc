#include "delivery/claude/claude_settings.h"
#include "fuzz/fuzz.h"

using namespace townpost;

// Somebody's settings keep every byte that is not ours, whatever they look like.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto without = without_hooks(fuzz::as_text(data, size));
  if (!without) {
    fuzz::check_error(without.error());
    return 0;
  }
  const auto json = parse_json(*without);
  CHECK(json.has_value());
  CHECK(hooked_events(*json).empty());
  const auto with = with_hooks(*without, "gt");
  if (!with) return 0;  // an event whose hooks are no list
  const auto hooked = parse_json(*with);
  CHECK(hooked.has_value());
  CHECK(hooked_events(*hooked).size() == claude_events().size());
  CHECK(with_hooks(*with, "gt").value() == *with);
  const auto back = without_hooks(*with);
  CHECK(back.has_value());
  // What was an empty list or object for our hooks is gone with them; nothing else is.
  if (without->find("hooks") == std::string::npos && without->find('\\') == std::string::npos) CHECK(*back == *without);
  return 0;
}
