#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace townpost {

// The processes of this host, as /proc tells them. What has ended by the time it is asked about has no relatives.

/// The fields of /proc/PID/stat behind the program's name: state, parent, …; empty if there is no such process.
std::vector<std::string> process_fields(int pid);
/// Whether it has ended and only waits for its parent to ask how.
bool is_zombie(int pid);
/// When it was started, by the clock of today; nothing if there is no such process.
std::optional<Instant> start_of(int pid);
/// 0 if it has none.
int parent_of(int pid);
std::vector<int> children_of(int pid);
/// Whether `pid` is `ancestor` or was started by it, however indirectly.
bool runs_within(int pid, int ancestor);
/// What a process may be called by: its name, its program's file, and the script that an interpreter runs.
std::vector<std::string> names_of_process(int pid);

}  // namespace townpost
