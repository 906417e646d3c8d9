#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "post/people/identity.h"

namespace townpost {

// What files, processes and tmux tell of a caller. All of it is outside: for before a transaction, never inside one.

/// The text of the nearest `.gt-agent`, from this folder upwards. One that git tracks does not count: whoever pushes to
/// the repository would decide who works in it. Neither does one that was written after `before`.
std::optional<std::string> nearest_agent_file(const std::filesystem::path& from,
                                              std::optional<Instant> before = std::nullopt);

/// What the nearest `.gt-agent` said when this session's process was started, in the folder that it was started in:
/// that one may have been moved, or another put in its place, since.
std::optional<std::string> agent_file_of_session(const SessionAround& around);

/// The process that the pane began with, as process_name() calls it.
std::string first_process_of(const OwnPane& pane);

/// The tmux pane that the caller runs in, which tmux itself vouches for, and whose it may be.
class PaneAround {
 public:
  /// Another program is asked, so only where it can matter. `registered`: the agents that have a place in tmux.
  PaneAround(Machine& machine, const std::vector<Agent>& registered);
  bool is_of(const Agent& agent) const;

 private:
  bool gave_number(const std::string& registered) const;
  std::optional<OwnPane> own_;
  std::string process_;
  std::optional<std::int64_t> server_start_;
  std::set<std::string> gone_;  ///< processes that panes were registered with
};

}  // namespace townpost
