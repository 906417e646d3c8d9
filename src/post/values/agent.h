#pragma once
#include <optional>
#include <string>

#include "base/clock.h"
#include "post/values/address.h"
#include "post/values/message.h"

namespace townpost {

/// A git repository with its agents.
struct Rig {
  std::string name;
  std::string prefix;  ///< of its bead ids; unique in the town
  std::string path;
  std::string target = "main";
  std::string test_command;
  Instant created_at;
  friend bool operator==(const Rig&, const Rig&) = default;
};

/// When the dispatcher may start an exited agent by itself.
enum class StartOn { never, nudge, mail };
constexpr StartOn last_value(StartOn) { return StartOn::mail; }

/// An agent (or the human): the owner of a mailbox.
struct Agent {
  AgentId id;
  Address address;
  std::string session;  ///< session URI such as tmux:%5, or empty
  /// What a person said of the program in its terminal: a harness's name, or `raw:PROGRAM` for one that reads lines.
  std::string harness = {};
  /// The process that it is known by, see process_name(): of its pane when that was registered, or of the session that
  /// was given its name.
  std::string pane_process = {};
  std::string description;
  std::string start_command;
  std::string resume_command;
  StartOn start_on = StartOn::never;
  Instant created_at;
  std::optional<Instant> removed_at;
  std::optional<Instant> held_since;  ///< rule L3 holds its outgoing mail since then
  int shown_hops = 0;                 ///< the most hops among the messages shown to it in this turn…
  std::optional<Instant> shown_at;    ///< …and when the last of them was shown
  friend bool operator==(const Agent&, const Agent&) = default;
};

}  // namespace townpost
