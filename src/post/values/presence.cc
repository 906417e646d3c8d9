#include "post/values/presence.h"

#include <algorithm>
#include <array>

#include "base/ear.h"
#include "base/files.h"
#include "base/json.h"
#include "base/private_files.h"
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

}  // namespace

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
  if (out.hook.empty()) out.hook = other.hook;
  return out;
}

bool is_session_id(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") ==
             std::string_view::npos;
}

std::string to_text(const Presence& p) {
  JsonObject out;
  out["agent"] = p.agent.key;
  out["state"] = name(p.state);
  out["incarnation"] = p.incarnation;
  out["harness"] = p.harness;
  out["session"] = p.session;
  out["host"] = p.host;
  out["pid"] = p.pid;
  out["transcript"] = p.transcript;
  out["detail"] = p.detail;
  out["started_at"] = p.started_at.ms;
  out["since"] = p.since.ms;
  out["last_activity"] = p.last_activity.ms;
  if (p.draft_since.ms != 0) out["draft_since"] = p.draft_since.ms;
  out["tool_running"] = p.tool_running ? 1 : 0;
  out["supervised"] = p.supervised ? 1 : 0;
  out["continuations"] = p.continuations;
  return to_line(out) + "\n";
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
                  .harness = text_of(object, "harness"),
                  .session = text_of(object, "session"),
                  .host = text_of(object, "host"),
                  .pid = static_cast<int>(number_of(object, "pid")),
                  .transcript = text_of(object, "transcript"),
                  .detail = text_of(object, "detail"),
                  .started_at = {number_of(object, "started_at")},
                  .since = {number_of(object, "since")},
                  .last_activity = {number_of(object, "last_activity")},
                  .draft_since = {number_of(object, "draft_since")},
                  .tool_running = number_of(object, "tool_running") != 0,
                  .supervised = number_of(object, "supervised") != 0,
                  .continuations = static_cast<int>(number_of(object, "continuations"))};
}

std::string in_its_words(std::string_view told) { return told.empty() ? "" : in_quotes(told, 200); }

std::optional<Presence> PresenceFiles::read(AgentId agent) const {
  const auto text = read_private_file(folder_ / std::to_string(agent.key), kMostBytes);
  if (!text) return std::nullopt;
  auto presence = presence_from(*text);
  if (presence && presence->agent != agent) return std::nullopt;
  return presence;
}

std::optional<Presence> PresenceFiles::read_by_incarnation(std::string_view incarnation) const {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    const auto text = read_private_file(entry.path(), kMostBytes);
    auto presence = text ? presence_from(*text) : std::nullopt;
    if (presence && presence->incarnation == incarnation) return presence;
  }
  return std::nullopt;
}

void PresenceFiles::write(const Presence& presence) const {
  const auto file = folder_ / std::to_string(presence.agent.key);
  const auto text = to_text(presence);
  if (!write_file_lightly(file, text) && make_private_folders(folder_)) (void)write_file_lightly(file, text);
  tell_ears(ears(presence.agent));
}

std::filesystem::path PresenceFiles::ears(AgentId agent) const {
  return folder_.parent_path() / "ear" / cat("presence-", agent.key);
}

}  // namespace townpost
