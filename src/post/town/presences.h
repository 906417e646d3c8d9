#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "post/town/town.h"
#include "post/values/presence.h"

namespace townpost {

// What this host shows of agents' sessions stands in files and in /proc: it is looked at before a transaction or after
// it, never inside (base/seclusion.h). So what the store has is read first, and then compared.

/// The name of the host we run on.
const std::string& this_host();

/// What the store knows of an agent's session.
struct StoredPresence {
  AgentId agent;
  std::optional<Presence> presence;
  bool quarantined = false;  ///< of such an agent there are no words
};
Result<StoredPresence> stored_presence(Ledger& ledger, AgentId agent);

/// The newest word on an agent's session: its file, else what was folded into the store.
std::optional<Presence> newest_presence(const Town& town, AgentId agent, const std::optional<Presence>& stored);

/// The same for telling others: a session whose process is gone from this host is over, though nobody has noted it yet,
/// and of somebody in quarantine there are no words.
std::optional<Presence> seen_presence(const Town& town, const StoredPresence& stored);

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
