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

/// What an agent program's variables say of it. Not every version tells its number.
struct SaidOfHarness {
  int pid = 0;
  bool is_marked = false;  ///< that we run in one at all
};
/// The process of an agent program that the caller runs in, and what that runs in itself.
struct HarnessAbove {
  std::optional<ProcessLook> own;
  std::vector<int> beyond;  ///< the processes above it; above the caller, if it is not found
  bool is_nested = false;   ///< another agent program is among them
};
/// It is the nearest one of those `above` the caller of that name. Under another name it counts only if its variables
/// say so, nothing but shells stands between, and it is what the terminal's keys reach.
HarnessAbove harness_above(const std::vector<ProcessLook>& above, std::string_view harness, const SaidOfHarness& said);

/// Whether a program of this name is a shell, which acts on what it is given.
bool is_shell(std::string_view program);

/// The agent program that set one of these variables, and which; nothing if none did. What people set to configure one
/// does not count.
struct MarkedBy {
  std::string_view harness;
  std::string variable;
};
std::optional<MarkedBy> harness_of_environment(const Environment& environment);

/// Whether any of these variables (see variables_text) has a name that one of them could have set: most environments
/// need not be taken apart.
bool may_be_marked(std::string_view variables);

}  // namespace townpost
