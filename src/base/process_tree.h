#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace townpost {

// The processes of this host, as /proc tells them. What has ended by the time it is asked about has no relatives.

/// What one look at a process tells.
struct ProcessLook {
  int pid = 0;
  int parent = 0;
  std::string program;     ///< its name, cut at 15 bytes by the kernel
  std::int64_t start = 0;  ///< in ticks since the machine was started
  int group = 0;
  int terminal = 0;        ///< the number of its controlling terminal; 0 if it has none
  int foreground = 0;      ///< the group that its terminal's keys reach
  bool is_zombie = false;  ///< it has ended and only waits for its parent to ask how
};
/// Nothing if there is no such process.
std::optional<ProcessLook> look_at(int pid);
/// The processes above this one, the parent first, as far as they can be seen.
std::vector<ProcessLook> ancestors_of(int pid);
/// Whether its input, output or errors are a terminal.
bool is_at_terminal(int pid);
/// What it was started with: its words, and its variables before it changed any.
std::vector<std::string> words_of_process(int pid);
std::map<std::string, std::string> variables_of_process(int pid);
/// Those variables as the kernel has them: NAME=VALUE, each with a zero byte behind it; nothing if it cannot be seen.
std::optional<std::string> variables_text(int pid);
std::map<std::string, std::string> variables_in(std::string_view text);
/// Where it works now.
std::optional<std::filesystem::path> working_folder_of(int pid);

/// When it was started, by the clock of today; nothing if there is no such process.
std::optional<Instant> start_of(int pid);
bool is_zombie(int pid);
std::vector<int> all_processes();
/// 0 if it has none.
int parent_of(int pid);
std::vector<int> children_of(int pid);
/// Whether `pid` is `ancestor` or was started by it, however indirectly.
bool runs_within(int pid, int ancestor);
/// What a process may be called by: its name, its program's file, and the script that an interpreter runs.
std::vector<std::string> names_of_process(int pid);

}  // namespace townpost
