#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "post/town/bell.h"

namespace townpost {

/// How a call that did not fail ended.
enum class Outcome {
  done,
  nothing,  ///< a negative answer: no mail waiting, nothing found
  partial,  ///< some of several failed
  pending,  ///< it goes on; the answer says how far it has come
  wake,     ///< for a hook that waits: the session is to be woken with this answer
  exited,   ///< a program ended; its own exit code is the answer's "exit_code"
};

/// When the same question is worth asking again.
struct Again {
  enum class For {
    an_answer,     ///< there is none yet: whoever can wait asks again, anybody else has the state of now
    a_newer_view,  ///< the answer is whole; whoever watches asks again
    what_follows,  ///< the answer is a part; the next one goes on behind it
  };
  For what = For::an_answer;
  std::vector<BellKey> bells;               ///< whatever changes the answer rings one of these
  std::vector<std::filesystem::path> ears;  ///< or is told in one of these folders (base/ear.h)
  int process = 0;                          ///< or this process ends
  Instant at = kForever;                    ///< and at this instant, whatever rang
  std::string_view op;                      ///< ask this operation from now on; the same one if empty
  JsonObject args;                          ///< its arguments
};

/// How far a list goes beyond what is in it.
struct Extent {
  std::int64_t total = 0;  ///< how many there are altogether; counted up to 10,000 where it is narrowed down
  std::int64_t more = 0;   ///< of them behind the last of the list
  std::optional<std::int64_t> cursor;  ///< what goes on there, if anything does
};

/// The result of an operation: JSON with stable keys; every front end makes its own view of it. It is data: nothing in
/// it depends on the process that made it.
struct Answer {
  Json json;
  Outcome outcome = Outcome::done;
  std::vector<std::string> warnings;
  std::vector<std::string> notices;  ///< about the town's settings, for people
  std::optional<Extent> extent;      ///< of a list that may be cut
  bool as_lines = false;             ///< a list whose JSON is one value a line
  std::optional<Again> again;
};

}  // namespace townpost
