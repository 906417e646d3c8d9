#include "base/json_fields.h"
#include "fuzz/fuzz.h"
#include "socket/speech.h"

using namespace townpost;

// A frame at the town's socket, from a command of any release or from whoever else may connect. A head that is
// understood can be said again, and then says the same; what follows it is untouched.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  const auto kind = speech::kind_of(text);
  CHECK(kind.has_value() == !text.empty());
  if (!kind) return 0;
  const auto rest = speech::rest_of(text);
  CHECK(speech::frame(*kind, rest) == text);

  const auto received = speech::read_call_frame(rest);
  if (!received) {
    fuzz::check_error(received.error());
    return 0;
  }
  CHECK(rest.ends_with(received->call));
  const auto head = parse_json(rest.substr(0, rest.find('\n')));
  const auto spoken = received->head.spoken;
  CHECK(spoken == 0 || member_of(*head, "spoken") == spoken);  // another number is not taken for one of ours
  const auto sent = speech::call_frame(received->head, received->call);
  CHECK(speech::kind_of(sent) == speech::Kind::call);
  const auto again = speech::read_call_frame(speech::rest_of(sent));
  CHECK(again.has_value());
  CHECK(again->call == received->call);
  CHECK(again->head.spoken == received->head.spoken && again->head.oldest == received->head.oldest);
  CHECK(again->head.release == received->head.release && again->head.zone == received->head.zone);
  CHECK(again->head.as == received->head.as);
  return 0;
}
