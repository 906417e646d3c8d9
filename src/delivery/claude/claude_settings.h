#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace townpost {

/// Claude Code's settings with our hooks in them; every byte that is not ours stays. `program` is how our program is
/// called. Doing it again changes nothing. Error: usage, if these are no settings.
Result<std::string> with_hooks(std::string_view settings, const std::string& program);
/// The same without our hooks.
Result<std::string> without_hooks(std::string_view settings);
/// The events whose hook is ours.
std::vector<std::string> hooked_events(const Json& settings);

/// How our hooks in these settings call our program, as the shell reads it; nothing if there are none.
std::optional<std::string> hooked_program(std::string_view settings);

/// The events that we want to hear of.
const std::vector<std::string>& claude_events();

}  // namespace townpost
