#include "delivery/claude/claude_settings.h"

#include <algorithm>
#include <optional>

#include "base/json_edit.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr std::string_view kMark = " signal claude";
/// Claude Code counts a hook's time in milliseconds, and up to 2.1.197 at least in 32 bits: more ends the hook at once.
constexpr int kWaiterSeconds = 2'147'483;

bool is_ours(const Json& hook) {
  const auto* object = hook.if_object();
  const auto* command = object ? object->if_contains("command") : nullptr;
  return command && command->is_string() &&
         std::string_view(command->get_string()).find(kMark) != std::string_view::npos;
}

Failure no_settings(std::string_view why) {
  return fail(Code::usage, cat("these are not settings of Claude Code: ", why), "correct the file, or move it away");
}

/// The hooks of a group; none if it is no group.
const JsonArray* hooks_of(const Json& group) {
  const auto* object = group.if_object();
  const auto* hooks = object ? object->if_contains("hooks") : nullptr;
  return hooks ? hooks->if_array() : nullptr;
}

/// What the settings want done at events; none if they name no hooks. Error: usage, if these are no settings.
Result<const JsonObject*> events_in(const Json& settings) {
  const auto* object = settings.if_object();
  if (!object) return no_settings("not an object");
  const auto* hooks = object->if_contains("hooks");
  if (!hooks) return nullptr;
  if (!hooks->is_object()) return no_settings("\"hooks\" is not an object");
  for (const auto& event : claude_events()) {
    const auto* groups = hooks->get_object().if_contains(event);
    if (groups && !groups->is_array()) return no_settings(cat("the hooks of ", event, " are not a list"));
  }
  return &hooks->get_object();
}

/// The outermost place that goes with the first hook of ours: the group, the event or all hooks, where it is alone.
std::optional<JsonPath> first_of_ours(const JsonObject& events) {
  for (const auto& [event, groups] : events) {
    if (!groups.is_array()) continue;
    for (std::size_t i = 0; i < groups.get_array().size(); ++i) {
      const auto* hooks = hooks_of(groups.get_array()[i]);
      if (!hooks) continue;
      const auto ours = std::find_if(hooks->begin(), hooks->end(), is_ours);
      if (ours == hooks->end()) continue;
      if (hooks->size() > 1)
        return JsonPath{"hooks", std::string(event), i, "hooks", static_cast<std::size_t>(ours - hooks->begin())};
      if (groups.get_array().size() > 1) return JsonPath{"hooks", std::string(event), i};
      if (events.size() > 1) return JsonPath{"hooks", std::string(event)};
      return JsonPath{"hooks"};
    }
  }
  return std::nullopt;
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

namespace {

/// Whether our hooks stand there just as we would put them.
bool has_just(const JsonObject& events, const std::string& program) {
  std::size_t found = 0;
  for (const auto& [event, groups] : events) {
    if (!groups.is_array()) continue;
    for (const auto& group : groups.get_array()) {
      const auto* hooks = hooks_of(group);
      if (!hooks || std::none_of(hooks->begin(), hooks->end(), is_ours)) continue;
      if (group != Json(our_group(program, event))) return false;
      ++found;
    }
  }
  return found == claude_events().size() &&
         std::all_of(claude_events().begin(), claude_events().end(),
                     [&](const std::string& event) { return events.contains(event); });
}

}  // namespace

Result<std::string> without_hooks(std::string_view settings) {
  std::string text(settings);
  while (true) {
    TRY(json, parse_json(text));
    TRY(events, events_in(json));
    const auto ours = events ? first_of_ours(*events) : std::nullopt;
    if (!ours) return text;
    text = remove_at(text, *ours);
  }
}

Result<std::string> with_hooks(std::string_view settings, const std::string& program) {
  TRY(before, parse_json(settings));
  TRY(there, events_in(before));
  if (there && has_just(*there, program)) return std::string(settings);
  TRY(text, without_hooks(settings));
  for (const auto& event : claude_events()) {
    TRY(json, parse_json(text));
    TRY(events, events_in(json));
    const auto group = our_group(program, event);
    if (!events)
      text = add_member(text, {}, "hooks", Json(JsonObject{{event, JsonArray{group}}}));
    else if (!events->contains(event))
      text = add_member(text, {"hooks"}, event, Json(JsonArray{group}));
    else
      text = add_element(text, {"hooks", event}, group);
  }
  return text;
}

std::vector<std::string> hooked_events(const Json& settings) {
  std::vector<std::string> out;
  const auto events = events_in(settings);
  if (!events || !*events) return out;
  for (const auto& [event, groups] : **events) {
    const auto* list = groups.if_array();
    if (list && std::any_of(list->begin(), list->end(), [](const Json& group) {
          const auto* hooks = hooks_of(group);
          return hooks && std::any_of(hooks->begin(), hooks->end(), is_ours);
        }))
      out.emplace_back(event);
  }
  return out;
}

std::optional<std::string> hooked_program(std::string_view settings) {
  const auto json = parse_json(settings);
  const auto events = json ? events_in(*json) : Result<const JsonObject*>(nullptr);
  if (!events || !*events) return std::nullopt;
  for (const auto& [event, groups] : **events) {
    if (!groups.is_array()) continue;
    for (const auto& group : groups.get_array()) {
      const auto* hooks = hooks_of(group);
      const auto ours = hooks ? std::find_if(hooks->begin(), hooks->end(), is_ours) : nullptr;
      if (!hooks || ours == hooks->end()) continue;
      const std::string_view command = ours->get_object().at("command").get_string();
      return std::string(command.substr(0, command.find(kMark)));
    }
  }
  return std::nullopt;
}

}  // namespace townpost
