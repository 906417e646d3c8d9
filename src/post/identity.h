#pragma once
#include <optional>
#include <string>

#include "base/environment.h"
#include "post/caller.h"
#include "post/town.h"

namespace townpost {

/// Everything that says who is calling, before anybody is looked up.
struct IdentityInputs {
  std::optional<std::string> flag;  ///< --as
  std::optional<std::string> role, rig, polecat, crew, dog;
  std::optional<std::string> mail_identity, actor;
  std::optional<std::string> pane;        ///< TMUX_PANE
  std::optional<std::string> supervised;  ///< the agent whose `gt agent run` started the caller
  std::optional<std::string> agent_file;  ///< text of the nearest .gt-agent

  static IdentityInputs collect(const std::optional<std::string>& flag, const Environment& environment);
  /// The same inputs have the same key: what a hint is filed under.
  std::string key() const;
};

/// Who is calling; the first of --as, GT_ROLE, MAIL_IDENTITY, BD_ACTOR, supervisor or tmux pane, .gt-agent, the human.
/// Error: not_found for an unknown --as, usage for an incomplete environment, forbidden where a session's agent would
/// speak as another.
Result<Caller> identify(const IdentityInputs& inputs, Town& town);

}  // namespace townpost
