#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace townpost {

/// The settings of Claude Code with our hooks in them; everything else in them stays as it was. `program` is how our
/// program is called. Doing it again changes nothing. Error: usage, if these are no settings.
Result<Json> with_hooks(const Json& settings, const std::string& program);
/// The same without our hooks.
Result<Json> without_hooks(const Json& settings);
/// The events whose hook is ours.
std::vector<std::string> hooked_events(const Json& settings);

/// The events that we want to hear of.
const std::vector<std::string>& claude_events();

}  // namespace townpost
