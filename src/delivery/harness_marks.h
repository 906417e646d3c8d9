#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/process_tree.h"

namespace townpost {

// What tells that somebody is inside an agent's session: the agent program among the processes above, or the variables
// that it sets for what it starts. A row for each program that we know; harness_profile.h says how it looks.

/// The agent program that this process is ("claude"); nothing if it is none that we know.
std::optional<std::string_view> harness_of_process(const ProcessLook& process);

/// The number of the process of this agent program that the caller runs in: the nearest one of those `above` it of that
/// name. A number that its variables say counts only if nothing but shells stands between, and if it is what the
/// terminal's keys reach. 0 if there is none.
int harness_above(const std::vector<ProcessLook>& above, std::string_view harness, int said);

/// Whether a program of this name is a shell, which acts on what it is given.
bool is_shell(std::string_view program);

/// The agent program that set one of these variables, and which; nothing if none did. What people set to configure one
/// does not count.
struct MarkedBy {
  std::string_view harness;
  std::string variable;
};
std::optional<MarkedBy> harness_of_environment(const Environment& environment);

}  // namespace townpost
