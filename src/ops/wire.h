#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ops/answer.h"
#include "ops/op.h"
#include "ops/request.h"

// Calls, and what comes of them, as bytes between two processes. What comes in was written by another program, perhaps
// of another version: what is missing or malformed is an error, what is not known is passed over.
namespace townpost::wire {

/// What the caller keeps from one look to the next (Request::kept). It travels with each call and comes back with its
/// reply: whoever serves remembers nothing.
using Kept = std::map<std::string, std::string>;

/// A call as it was read. Where it comes from is not in it: that is what the kernel says of the caller.
struct ReceivedCall {
  const Op* op = nullptr;
  JsonObject args;  ///< for Args::check
  Haste haste = Haste::none;
  Instant started_at;
  std::optional<Instant> deadline;
  Kept kept;
};

std::string call_text(const Op& op, const Args& args, const Request& request);
/// Error: usage, naming what is wrong; not_found, if there is no operation of that name.
Result<ReceivedCall> read_call(std::string_view text);

/// What an operation answered, or the error that it ended with.
std::string reply_text(const Result<Answer>& reply, const Kept& kept = {});
/// The same again. What cannot be understood is an error, too: unavailable, and leaves `kept` as it is.
Result<Answer> read_reply(std::string_view text, Kept& kept);
inline Result<Answer> read_reply(std::string_view text) {
  Kept unwanted;
  return read_reply(text, unwanted);
}

}  // namespace townpost::wire
