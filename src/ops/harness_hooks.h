#pragma once
#include "base/json.h"
#include "base/result.h"
#include "ops/call.h"

namespace townpost::ops {

/// Whose Claude Code settings our hooks are in.
enum class HooksFor {
  this_folder,  ///< the user's own for this folder, unless the team's have our hooks already: they would run twice
  team,         ///< the folder's, which a team shares
  user,         ///< the user's, for every folder
};

// What was done, or is there, in the shape `hooks`. Error: usage, if the settings are damaged; then nothing is changed.
Result<JsonObject> install_hooks(Call& call, HooksFor whom);
/// What keeps installed hooks from reaching this program; empty if nothing does.
std::string doubt_of_hooks(const Call& call, HooksFor whom);
Result<JsonObject> uninstall_hooks(Call& call, HooksFor whom);
Result<JsonObject> hooks_of(Call& call, HooksFor whom);

/// The settings as install_hooks() would leave them.
Result<Json> settings_with_hooks(Call& call, HooksFor whom);

}  // namespace townpost::ops
