#include "fuzz/fuzz.h"
#include "ops/wire.h"

using namespace townpost;

// What another process sends: a call to a server, or a reply to a caller. Whatever is taken for one can be sent on, and
// is then the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::as_text(data, size);
  wire::Kept kept;
  const auto reply = wire::read_reply(text, kept);
  if (!reply) fuzz::check_error(reply.error());
  const auto sent = wire::reply_text(reply, kept);
  wire::Kept kept_again;
  const auto same = wire::read_reply(sent, kept_again);
  CHECK(kept_again == kept);
  CHECK(wire::reply_text(same, kept_again) == sent);
  if (reply && reply->again)
    for (const auto& bell : reply->again->bells) CHECK(bell.name.find_first_of("./") == std::string::npos);

  const auto call = wire::read_call(text);
  if (!call) {
    fuzz::check_error(call.error());
    return 0;
  }
  const auto args = Args::check(call->op->args, call->args);
  if (!args) {
    fuzz::check_error(args.error());
    return 0;
  }
  const Request request{
      .haste = call->haste, .started_at = call->started_at, .deadline = call->deadline, .kept = call->kept};
  const auto passed_on = wire::call_text(*call->op, *args, request);
  const auto again = wire::read_call(passed_on);
  CHECK(again.has_value());
  const auto checked = Args::check(again->op->args, again->args);
  CHECK(checked.has_value());
  CHECK(checked->values() == args->values());
  CHECK(again->kept == call->kept);
  CHECK(wire::call_text(*again->op, *checked, request) == passed_on);
  return 0;
}
