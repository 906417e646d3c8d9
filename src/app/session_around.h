#pragma once
#include <optional>
#include <vector>

#include "base/environment.h"
#include "base/process_tree.h"
#include "post/people/identity.h"
#include "post/town/process_notes.h"

namespace townpost {

/// The agent's session around the calling process, and what its process was started with.
struct SessionFound {
  std::vector<ProcessLook> above;  ///< the processes above the caller, the parent first
  std::optional<SessionAround> around;
  std::optional<SessionAround> beyond;          ///< see IdentityInputs
  std::optional<FixedEnvironment> environment;  ///< of the session's own process, where one is known
};

/// Looks at the processes above the caller, which is process `pid`: the outermost agent program, `gt agent run` or
/// noted session counts, so that nobody becomes another by starting a program inside. Without one the variables of
/// agent programs tell, the caller's and those that the processes above it began with.
SessionFound session_around(int pid, const Environment& environment, const ProcessNotes& notes);

/// The terminal or pane of this process, by the name of the process that leads it; empty if it has none. `above`: the
/// processes above.
std::string terminal_around(int pid, const std::vector<ProcessLook>& above);

}  // namespace townpost
