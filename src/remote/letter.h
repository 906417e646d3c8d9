#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

// What a command and the server of a town on another machine send each other over HTTP: a line of JSON, the head, and
// behind it the call or its reply (ops/wire.h). What comes in was written by another program, perhaps of another
// version, perhaps by nobody's friend.
namespace townpost::letter {

// Where it is posted to.
constexpr std::string_view kCall = "/api/call";                    ///< a call; answered with its reply
constexpr std::string_view kHandedOver = "/api/call/handed-over";  ///< the caller has the reply: do what was to follow
constexpr std::string_view kListen = "/api/call/listen";           ///< a stream: `listening`, and `rang` to look again
constexpr std::string_view kType = "application/x-townpost-call";

/// What this release speaks, and the oldest that it still understands.
constexpr int kSpoken = 1;
constexpr int kOldest = 1;

struct Head {
  int spoken = kSpoken;
  int oldest = kOldest;
  Instant now;                     ///< by the writer's clock
  std::optional<std::string> as;   ///< --as
  std::string conversation;        ///< the calls of one command: named by the server where there may be more to say
  bool something_follows = false;  ///< once the reply is handed over
};

std::string text(const Head& head, std::string_view rest = {});

struct Received {
  Head head;
  std::string_view rest;  ///< of the text that was read
};
/// Error: usage, if it has no head, or one that this release does not understand.
Result<Received> read(std::string_view text);

}  // namespace townpost::letter
