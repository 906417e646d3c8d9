#include "post/values/presence.h"

#include <algorithm>
#include <array>

#include "base/ear.h"
#include "base/files.h"
#include "base/json.h"
#include "base/private_files.h"
#include "base/sealed_line.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::array<std::string_view, 11> kStates = {"unknown", "starting", "running", "idle", "waiting", "blocked",
                                                      "stalled", "draining", "exited",  "dead", "deaf"};
static_assert(kStates.size() == static_cast<std::size_t>(last_value(AgentState{})) + 1);
constexpr std::size_t kMostBytes = 16u << 10;

std::string text_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_of(const JsonObject& object, const char* key) {
  const auto* value = object.if_contains(key);
  return value && value->is_int64() ? value->get_int64() : 0;
}

constexpr std::string_view kNothing = "-";

}  // namespace

HeldBead HeldBead::of_word(std::string word) {
  if (word.empty()) return {};
  return told(word == kNothing ? "" : std::move(word));
}

std::string HeldBead::word() const { return !bead_ ? "" : bead_->empty() ? std::string(kNothing) : *bead_; }

std::string_view name(AgentState state) { return kStates[static_cast<std::size_t>(state)]; }

std::optional<AgentState> find_agent_state(std::string_view text) {
  for (std::size_t i = 0; i < kStates.size(); ++i)
    if (kStates[i] == text) return static_cast<AgentState>(i);
  return std::nullopt;
}

Care stricter(const Care& care, const Care& other) {
  auto earlier = [](const std::optional<Instant>& a, const std::optional<Instant>& b) {
    return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
  };
  Care out = care;
  out.dnd_until = std::max(care.dnd_until, other.dnd_until);  // nothing is less than any instant
  out.held_since = earlier(care.held_since, other.held_since);
  out.hold_until = std::max(care.hold_until, other.hold_until);
  out.quarantined_at = earlier(care.quarantined_at, other.quarantined_at);
  if (!out.holds.is_told()) out.holds = other.holds;
  return out;
}

bool is_session_id(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") ==
             std::string_view::npos;
}

std::string to_line(const Presence& p) {
  JsonObject out;
  out["agent"] = p.agent.key;
  out["state"] = name(p.state);
  out["incarnation"] = p.incarnation;
  out["harness"] = p.harness.word();
  out["session"] = p.session;
  out["host"] = p.host;
  out["pid"] = p.pid;
  out["transcript"] = p.transcript;
  out["detail"] = p.detail;
  out["started_at"] = p.started_at.ms;
  out["since"] = p.since.ms;
  out["last_activity"] = p.last_activity.ms;
  if (!p.process.empty()) out["process"] = p.process;
  if (p.draft_since.ms != 0) out["draft_since"] = p.draft_since.ms;
  if (p.triggered_at.ms != 0) out["triggered_at"] = p.triggered_at.ms;
  if (p.hooks_leave) out["hooks_leave"] = 1;
  out["tool_running"] = p.tool_running ? 1 : 0;
  out["supervised"] = p.supervised ? 1 : 0;
  out["continuations"] = p.continuations;
  return to_line(out);
}

std::optional<Presence> presence_from(std::string_view text) {
  const auto json = parse_json(trim(text));
  if (!json || !json->is_object()) return std::nullopt;
  const auto& object = json->get_object();
  const auto state = find_agent_state(text_of(object, "state"));
  if (!state) return std::nullopt;
  return Presence{.agent = {number_of(object, "agent")},
                  .state = *state,
                  .incarnation = text_of(object, "incarnation"),
                  .harness = Harness::of_word(text_of(object, "harness")),
                  .session = text_of(object, "session"),
                  .host = text_of(object, "host"),
                  .pid = static_cast<int>(number_of(object, "pid")),
                  .transcript = text_of(object, "transcript"),
                  .detail = text_of(object, "detail"),
                  .started_at = {number_of(object, "started_at")},
                  .since = {number_of(object, "since")},
                  .last_activity = {number_of(object, "last_activity")},
                  .process = text_of(object, "process"),
                  .draft_since = {number_of(object, "draft_since")},
                  .triggered_at = {number_of(object, "triggered_at")},
                  .hooks_leave = number_of(object, "hooks_leave") != 0,
                  .tool_running = number_of(object, "tool_running") != 0,
                  .supervised = number_of(object, "supervised") != 0,
                  .continuations = static_cast<int>(number_of(object, "continuations"))};
}

Presence stored_part(Presence presence) {
  presence.process.clear();
  presence.draft_since = {};
  presence.triggered_at = {};
  presence.hooks_leave = false;
  return presence;
}

std::string in_its_words(std::string_view told) { return told.empty() ? "" : in_quotes(told, 200); }

namespace {

std::optional<Presence> presence_in(const std::string& file) {
  const auto line = sealed_line(file, kMostBytes);
  return line ? presence_from(*line) : std::nullopt;
}

std::optional<Presence> presence_in(const std::string& file, AgentId agent) {
  auto presence = presence_in(file);
  if (presence && presence->agent != agent) return std::nullopt;
  return presence;
}

void write_presence(const std::filesystem::path& file, const Presence& presence) {
  const auto line = to_line(presence);
  if (!write_sealed_line(file, line) && make_private_folders(file.parent_path())) (void)write_sealed_line(file, line);
}

std::string_view holder_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

std::string ears_of(const std::filesystem::path& presences, AgentId agent) {
  return cat(holder_of(presences.native()), "/ear/presence-", agent.key);
}

/// Whoever waits for anybody's.
void tell(const std::filesystem::path& presences) { tell_ears(cat(holder_of(presences.native()), "/ear/presence")); }

/// Whoever waits for this agent's, and whoever waits for anybody's.
void tell(const std::filesystem::path& presences, AgentId agent) {
  tell_ears(ears_of(presences, agent));
  tell(presences);
}

}  // namespace

std::optional<Presence> PresenceFiles::read(AgentId agent) const {
  return presence_in(cat(folder_.native(), "/", agent.key), agent);
}

std::optional<Presence> PresenceFiles::read_by_incarnation(std::string_view incarnation) const {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    auto presence = presence_in(entry.path().native());
    if (presence && presence->incarnation == incarnation) return presence;
  }
  return std::nullopt;
}

void PresenceFiles::write(const Presence& presence) const {
  write_presence(cat(folder_.native(), "/", presence.agent.key), presence);
  tell(folder_, presence.agent);
}

std::filesystem::path PresenceFiles::file_of_other(AgentId agent, const std::string& incarnation) const {
  return others_ / cat(agent.key, ".", incarnation);
}

std::vector<Presence> PresenceFiles::others(AgentId agent) const {
  std::vector<Presence> out;
  const auto own = cat(agent.key, ".");
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(others_, none))
    if (entry.path().filename().native().starts_with(own))
      if (auto presence = presence_in(entry.path().native(), agent)) out.push_back(std::move(*presence));
  std::sort(out.begin(), out.end(), [](const Presence& a, const Presence& b) { return a.started_at > b.started_at; });
  return out;
}

std::optional<Presence> PresenceFiles::other(AgentId agent, const std::string& incarnation) const {
  if (!is_session_id(incarnation)) return std::nullopt;
  return presence_in(file_of_other(agent, incarnation).native(), agent);
}

void PresenceFiles::write_other(const Presence& presence) const {
  if (!is_session_id(presence.incarnation)) return;
  write_presence(file_of_other(presence.agent, presence.incarnation), presence);
  tell(folder_, presence.agent);
}

void PresenceFiles::forget_other(AgentId agent, const std::string& incarnation) const {
  if (!is_session_id(incarnation)) return;
  remove_private_file(file_of_other(agent, incarnation));
  tell(folder_);
}

std::filesystem::path PresenceFiles::ears(AgentId agent) const { return ears_of(folder_, agent); }

}  // namespace townpost
