#include "delivery/claude/claude_settings.h"

#include <algorithm>

#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kMark = " signal claude";
constexpr int kWaiterSeconds = 30 * 24 * 3600;

bool is_ours(const Json& hook) {
  const auto* object = hook.if_object();
  const auto* command = object ? object->if_contains("command") : nullptr;
  return command && command->is_string() &&
         std::string_view(command->get_string()).find(kMark) != std::string_view::npos;
}

Failure no_settings(std::string_view why) {
  return fail(Code::usage, cat("these are no settings of Claude Code: ", why), "correct the file, or move it away");
}

/// Takes our hooks out of an event's list, and the groups that are empty then.
JsonArray without_ours(const JsonArray& groups) {
  JsonArray out;
  for (const auto& group : groups) {
    const auto* object = group.if_object();
    const auto* hooks = object ? object->if_contains("hooks") : nullptr;
    if (!hooks || !hooks->is_array()) {
      out.push_back(group);
      continue;
    }
    JsonArray kept;
    for (const auto& hook : hooks->get_array())
      if (!is_ours(hook)) kept.push_back(hook);
    if (kept.empty() && !hooks->get_array().empty()) continue;
    JsonObject rest = *object;
    rest["hooks"] = std::move(kept);
    out.push_back(std::move(rest));
  }
  return out;
}

JsonObject our_group(const std::string& program, std::string_view event) {
  JsonArray hooks;
  JsonObject hook;
  hook["type"] = "command";
  hook["command"] = cat(program, kMark, " ", event);
  hooks.push_back(std::move(hook));
  if (event == "Stop" || event == "SessionStart") {  // wakes the session when something comes for it
    JsonObject waiter;
    waiter["type"] = "command";
    waiter["command"] = cat(program, kMark, " wait");
    waiter["asyncRewake"] = true;
    waiter["timeout"] = kWaiterSeconds;
    hooks.push_back(std::move(waiter));
  }
  JsonObject group;
  group["hooks"] = std::move(hooks);
  return group;
}

}  // namespace

const std::vector<std::string>& claude_events() {
  static const std::vector<std::string> kEvents = {
      "SessionStart", "UserPromptSubmit", "PreToolUse",        "PostToolUse", "Stop",
      "StopFailure",  "Notification",     "PermissionRequest", "SessionEnd"};
  return kEvents;
}

Result<Json> without_hooks(const Json& settings) {
  const auto* object = settings.if_object();
  if (!object) return no_settings("not an object");
  JsonObject out = *object;
  auto* hooks = out.if_contains("hooks");
  if (!hooks) return Json(std::move(out));
  auto* events = hooks->if_object();
  if (!events) return no_settings("\"hooks\" is not an object");
  JsonObject kept;
  for (const auto& [event, groups] : *events) {
    if (!groups.is_array()) {
      kept[event] = groups;
      continue;
    }
    auto rest = without_ours(groups.get_array());
    if (!rest.empty() || groups.get_array().empty()) kept[event] = std::move(rest);
  }
  if (kept.empty())
    out.erase("hooks");
  else
    out["hooks"] = std::move(kept);
  return Json(std::move(out));
}

Result<Json> with_hooks(const Json& settings, const std::string& program) {
  TRY(clean, without_hooks(settings));
  auto& object = clean.get_object();
  if (!object.contains("hooks")) object["hooks"] = JsonObject();
  auto& events = object["hooks"].get_object();
  for (const auto& event : claude_events()) {
    if (!events.contains(event)) events[event] = JsonArray();
    if (!events[event].is_array()) return no_settings(cat("the hooks of ", event, " are not a list"));
    events[event].get_array().push_back(our_group(program, event));
  }
  return clean;
}

std::vector<std::string> hooked_events(const Json& settings) {
  std::vector<std::string> out;
  const auto* object = settings.if_object();
  const auto* hooks = object ? object->if_contains("hooks") : nullptr;
  if (!hooks || !hooks->is_object()) return out;
  for (const auto& [event, groups] : hooks->get_object()) {
    if (!groups.is_array()) continue;
    for (const auto& group : groups.get_array()) {
      const auto* members = group.is_object() ? group.get_object().if_contains("hooks") : nullptr;
      if (!members || !members->is_array()) continue;
      const auto& list = members->get_array();
      if (std::any_of(list.begin(), list.end(), is_ours)) {
        out.emplace_back(event);
        break;
      }
    }
  }
  return out;
}

}  // namespace townpost
