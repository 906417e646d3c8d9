#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ops/op.h"

// What the town's socket carries. A connection serves one request: calls, one after another, each answered; what
// follows an answer; and the wait for what would change it. The first byte of a frame says what it is.
namespace townpost::speech {

/// What this release speaks, and the oldest that it still understands: one side may be a release behind.
constexpr int kSpoken = 1;
constexpr int kOldest = 1;

enum class Kind : char {
  // from the command
  call = 'c',         ///< a CallHead, a line break, and the call (ops/wire.h)
  handed_over = 'h',  ///< it has the answer: what was to follow that may be done
  listen = 'l',       ///< rings of what the last answer waits for are to be told from now on
  heard = 'n',        ///< it was told of one; the next one is to be told again
  ask_alive = 'p',    ///< it has heard nothing for long
  succeed = 's',      ///< it is the town's next server, and wants what HTTP is listened for at
  // from the server
  taken = 'k',       ///< it is begun: from here on it may be done, though no reply comes
  alive = 'a',       ///< the server runs; what was asked goes on
  reply = 'r',       ///< the reply (ops/wire.h)
  reply_more = 'm',  ///< the same; something follows once it is handed over
  done = 'd',        ///< what followed, or did not: a reply
  listening = 'q',   ///< from here on no ring is missed
  rang = 'b',        ///< look again
  given = 'g',       ///< with this frame
  not_served = 'x',  ///< the command is to do this itself; why, for people, if they can do something about it
};

std::string frame(Kind kind, std::string_view rest = {});
/// Its first byte and the rest; nothing if it is empty.
std::optional<Kind> kind_of(std::string_view frame);
inline std::string_view rest_of(std::string_view frame) { return frame.substr(1); }

/// Whether the server says that it begins, and begins only if the command hears that: one that has given up waiting
/// does the work itself, and then nobody else may do it later.
inline bool must_be_taken(const Op& op) { return op.effect != Effect::reads; }

/// Whether it may be done once more when nobody knows if it was done.
bool may_be_repeated(const Op& op, const Args& args);

/// What stands before each call.
struct CallHead {
  int spoken = kSpoken;
  int oldest = kOldest;
  std::string release;            ///< for people
  std::optional<std::string> as;  ///< --as
  std::string zone;               ///< TZ: times of day in the arguments are meant so
};
std::string call_frame(const CallHead& head, std::string_view call);
struct ReceivedCallFrame {
  CallHead head;
  std::string_view call;
};
/// Error: usage.
Result<ReceivedCallFrame> read_call_frame(std::string_view rest);

}  // namespace townpost::speech
