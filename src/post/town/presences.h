#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

/// The newest word on an agent's session: its file, else what was folded into the store.
Result<std::optional<Presence>> newest_presence(Town& town, Ledger& ledger, AgentId agent);

/// The same for telling others: a session whose process is gone from this host is over, though nobody has noted it yet,
/// and of somebody in quarantine there are no words.
Result<std::optional<Presence>> seen_presence(Town& town, Ledger& ledger, AgentId agent);

/// Whether somebody watches over this host's agents (`gt up`), and which process. That it lives is told by the lock
/// that it holds: a file that was left behind, or is another host's, tells nothing.
struct Watcher {
  std::string process;  ///< as process_name(); empty if it is not known here: then nobody may signal it
  std::string refusal;  ///< why the system does not tell it what changes: it looks every second

  int pid() const { return std::atoi(process.c_str()); }
};
std::optional<Watcher> watcher_of(const std::filesystem::path& town);
/// The files of this host's watcher in `run` and `run/lock` are called so.
std::string watcher_name();
std::filesystem::path watcher_file(const std::filesystem::path& town);

/// Where the process that waits beside an agent's idle session, to wake it, leaves its name.
std::filesystem::path waiter_file(const std::filesystem::path& town, AgentId agent);
/// Whether one waits there.
bool has_waiter(const Town& town, AgentId agent);

/// How often hooks had trouble: lines of their log.
std::int64_t hook_errors(const std::filesystem::path& town);

}  // namespace townpost
