#include "post/town/presences.h"

#include <algorithm>

#include "base/child.h"
#include "base/files.h"
#include "base/private_files.h"
#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

const std::string& this_host() { return host_name(); }

Result<StoredPresence> stored_presence(Ledger& ledger, AgentId agent) {
  TRY(presence, ledger.presence(agent));
  TRY(care, ledger.care(agent));
  return StoredPresence{agent, presence, care.quarantined_at.has_value()};
}

std::optional<Presence> newest_presence(const Town& town, AgentId agent, const std::optional<Presence>& stored) {
  const auto own = PresenceFiles(town.folder).read(agent);
  // A file of this host is the newest word, unless the agent has moved to another one since.
  const bool moved = own && stored && !own->host.empty() && !stored->host.empty() && stored->host != own->host &&
                     stored->last_activity > own->last_activity;
  return own && !moved ? own : stored;
}

std::optional<Presence> seen_presence(const Town& town, const StoredPresence& stored) {
  auto presence = newest_presence(town, stored.agent, stored.presence);
  if (presence && stored.quarantined) presence->detail.clear();  // its hooks may have said anything
  if (!presence || presence->pid <= 0 || is_over(presence->state) || presence->host != host_name()) return presence;
  if (const auto look = look_at(presence->pid); look && !look->is_zombie) return presence;
  presence->state = AgentState::exited;
  presence->detail = "its process is gone";
  return presence;
}

namespace {

/// Whether a process of this name runs here. Of another host's nothing is known, and nothing is assumed.
bool is_of_this_host(std::string_view process) { return process.ends_with(cat("@", host_name())); }

}  // namespace

std::string watcher_name() {
  std::string name = "watcher-";
  for (const char c : host_name()) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    name += plain ? c : '-';
  }
  return name;
}

std::filesystem::path watcher_file(const std::filesystem::path& town) { return town / "run" / watcher_name(); }

std::optional<Watcher> watcher_of(const std::filesystem::path& town) {
  if (!is_locked(town / "run" / "lock" / cat(watcher_name(), ".lock"))) return std::nullopt;
  const auto text = read_private_file(watcher_file(town), 1024).value_or("");
  const auto line = std::min(text.find('\n'), text.size());
  Watcher out{std::string(trim(text.substr(0, line))), std::string(trim(text.substr(line)))};
  if (!is_of_this_host(out.process) || !process_runs(out.process)) out = {};
  return out;
}

std::filesystem::path waiter_file(const std::filesystem::path& town, AgentId agent) {
  return town / "run" / "waiter" / std::to_string(agent.key);
}

bool has_waiter(const Town& town, AgentId agent) {
  const auto waiter = read_private_file(waiter_file(town.folder, agent), 256);
  return waiter && is_of_this_host(trim(*waiter)) && town.machine.is_running(std::string(trim(*waiter)));
}

std::int64_t hook_errors(const std::filesystem::path& town) {
  const auto log = read_private_file(town / "log" / "signal.log", 4u << 20);
  return log ? std::count(log->begin(), log->end(), '\n') : 0;
}

}  // namespace townpost
