#include "post/town/presences.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/child.h"
#include "base/files.h"
#include "base/private_files.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "post/town/process_notes.h"

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

bool LeftWords::of(AgentId agent) {
  if (!folder_)
    folder_ = std::make_shared<const FileDescriptor>(open_private_folder(PresenceFiles(town_.folder).folder(), O_PATH));
  return *folder_ && ::faccessat(folder_->get(), std::to_string(agent.key).c_str(), F_OK, 0) == 0;
}

bool is_gone(const Presence& presence) {
  if (presence.pid <= 0 || presence.host != host_name()) return false;
  if (!presence.process.empty()) return !process_runs(presence.process);
  const auto look = look_at(presence.pid);
  return !look || look->is_zombie;
}

bool is_live(const Presence& presence) { return !is_over(presence.state) && !is_gone(presence); }

std::vector<Presence> other_sessions(const Town& town, AgentId agent) {
  auto out = PresenceFiles(town.folder).others(agent);
  std::erase_if(out, [](const Presence& presence) { return !is_live(presence); });
  return out;
}

std::vector<Presence> sessions_beside(const Town& town, const StoredPresence& stored,
                                      const std::optional<Presence>& seen) {
  auto out = other_sessions(town, stored.agent);
  std::erase_if(out, [&](const Presence& one) { return seen && one.incarnation == seen->incarnation; });
  if (stored.quarantined)
    for (auto& one : out) one.detail.clear();
  return out;
}

std::optional<Presence> let_succeed(const Town& town, AgentId agent) {
  const PresenceFiles files(town.folder);
  for (const auto& other : files.others(agent)) {
    files.forget_other(agent, other.incarnation);
    if (!is_live(other)) continue;
    files.write(other);
    town.bell.ring(agent);
    return other;
  }
  return std::nullopt;
}

bool is_unanswered(const Presence& presence, Instant now) {
  return presence.triggered_at.ms != 0 && now - presence.triggered_at >= kAnswerTime;
}

void make_deaf(Presence& presence, Instant now) {
  presence.state = AgentState::deaf;
  presence.since = now;
  presence.detail = cat("no hook answered what was typed at ", rfc3339(presence.triggered_at), "; are they installed?");
  presence.triggered_at = {};
}

std::string supervisor_lock(AgentId agent) { return cat("run-", agent.key); }

std::string run_mark(const Town& town, AgentId agent) { return cat(town.folder.string(), "#", agent.key); }

namespace {

/// Whether it is part of somebody's session: its words are that one's, whatever its variables say.
bool has_a_session_above(const ProcessLook& process) {
  const ProcessNotes notes(ProcessNotes::folder_of_user());
  for (auto above = look_at(process.parent); above; above = look_at(above->parent))
    if (notes.is_session(process_name(above->pid))) return true;
  return false;
}

}  // namespace

std::optional<int> left_over_process(const Town& town, AgentId agent) {
  const auto mark = run_mark(town, agent);
  std::optional<ProcessLook> oldest;
  for (const int pid : all_processes()) {
    if (pid == ::getpid()) continue;
    const auto variables = variables_of_process(pid);
    const auto found = variables.find(kRunVariable);
    if (found == variables.end() || found->second != mark) continue;
    auto look = look_at(pid);
    if (!look || look->is_zombie || (oldest && look->start >= oldest->start)) continue;
    if (!has_a_session_above(*look)) oldest = std::move(look);
  }
  return oldest ? std::optional(oldest->pid) : std::nullopt;
}

void mind_lost_supervisor(const Town& town, Presence& presence) {
  if (!presence.supervised || is_over(presence.state) || presence.host != host_name() ||
      is_locked(town.folder / "run" / "lock" / cat(supervisor_lock(presence.agent), ".lock")))
    return;
  if (is_gone(presence)) {  // a wrapper ends when it is asked to, and what it wraps goes on
    const auto left = left_over_process(town, presence.agent);
    if (!left) return;
    presence.pid = *left;
    presence.process = process_name(*left);
  }
  presence.supervised = false;
  presence.detail = cat("its supervisor is gone; process ", presence.pid, " still runs without it");
  if (presence.harness.is(Harness::Kind::stream)) presence.state = AgentState::unknown;  // nobody else can speak to it
}

std::optional<Presence> seen_presence(const Town& town, const StoredPresence& stored) {
  auto presence = newest_presence(town, stored.agent, stored.presence);
  if (!presence) return presence;
  const auto leave_out_words = [&] {
    if (stored.quarantined) presence->detail.clear();  // its hooks may have said anything
  };
  leave_out_words();
  mind_lost_supervisor(town, *presence);
  if (!is_live(*presence)) {
    auto others = other_sessions(town, stored.agent);
    if (!others.empty()) presence = std::move(others.front());
    leave_out_words();
  }
  if (is_over(presence->state)) return presence;
  if (is_gone(*presence)) {
    presence->state = AgentState::exited;
    presence->detail = "its process is gone";
    return presence;
  }
  if (is_unanswered(*presence, town.clock.now())) make_deaf(*presence, presence->triggered_at);
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

std::filesystem::path waiter_file(const std::filesystem::path& town, AgentId agent, const std::string& incarnation) {
  return town / "run" / "waiter" / cat(agent.key, ".", incarnation);
}

bool has_waiter(const Town& town, AgentId agent, const std::string& incarnation) {
  if (!is_session_id(incarnation)) return false;
  const auto waiter = read_private_file(waiter_file(town.folder, agent, incarnation), 256);
  return waiter && is_of_this_host(trim(*waiter)) && town.machine.is_running(std::string(trim(*waiter)));
}

std::int64_t hook_errors(const std::filesystem::path& town) {
  const auto log = read_private_file(town / "log" / "signal.log", 4u << 20);
  return log ? std::count(log->begin(), log->end(), '\n') : 0;
}

}  // namespace townpost
