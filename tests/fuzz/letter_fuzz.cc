#include "fuzz/fuzz.h"
#include "remote/letter.h"

using namespace townpost;

// What a command and a town's server on another machine send each other. What is understood can be sent on, and is then
// the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto received = letter::read(text);
  if (!received) {
    fuzz::check_error(received.error());
    return 0;
  }
  CHECK(received->rest.size() < text.size());
  const auto sent = letter::text(received->head, received->rest);
  const auto again = letter::read(sent);
  CHECK(again.has_value());
  CHECK(letter::text(again->head, again->rest) == sent);
  return 0;
}
