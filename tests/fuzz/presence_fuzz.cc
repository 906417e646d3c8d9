#include "fuzz/fuzz.h"
#include "post/values/presence.h"

using namespace townpost;

/// A file that anybody may have written: a presence, which then survives the way through a file, or nothing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto presence = presence_from(fuzz::as_text(data, size));
  if (!presence) return 0;
  CHECK(find_agent_state(name(presence->state)) == presence->state);
  for (const auto* text :
       {&presence->incarnation, &presence->session, &presence->host, &presence->transcript, &presence->detail})
    CHECK(is_utf8(*text));
  CHECK(is_utf8(presence->harness.word()));
  const auto line = to_line(*presence);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(presence_from(line) == presence);
  return 0;
}
