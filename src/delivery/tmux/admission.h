#pragma once
#include <string>

#include "delivery/tmux/foreground.h"
#include "post/values/harness.h"

namespace townpost {

/// What `--harness raw` is stored as: with the program that a person meant by it.
constexpr std::string_view kRawPrefix = "raw:";

/// How the reason ends that a person can end by saying what the program is.
constexpr std::string_view kNotKnown = "which is not a known agent";

/// What is known of the agent whose pane it is said to be.
struct Expected {
  std::string registered;  ///< by a person: a harness's name, `raw:PROGRAM`, or empty
  Harness noted;           ///< by its hooks, or by an earlier look
  int pid = 0;             ///< of its process, as its hooks say; 0 if that is not known
};

/// As what the program in a pane may be typed to. Only a harness that is known by its name, one whose hooks told its
/// process, or what a person registered by name; never a shell, an editor, a pager, an interpreter, or where a password
/// is asked for. Error: forbidden with the reason; not_found if the agent has left the pane to its shell.
Result<HarnessProfile> admit(const Foreground& foreground, const Expected& expected);

/// Whether `--harness` may be `word` for what runs in the foreground, and what is stored for it. A bare `raw` means the
/// program that runs there now. Error: usage or refused.
Result<std::string> registered_harness(const std::string& word, const Foreground* foreground);

}  // namespace townpost
