#include "delivery/claude/claude_event.h"

#include "base/json.h"
#include "base/text.h"
#include "post/values/presence.h"

namespace townpost {

Result<ClaudeEvent> ClaudeEvent::parse(std::string_view json) {
  TRY(value, parse_json(trim(json)));
  const auto* object = value.if_object();
  if (!object)
    return fail(Code::usage, "the event is not a JSON object", "this command is called by Claude Code's hooks");
  auto text = [&](const char* key) {
    const auto* member = object->if_contains(key);
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
  };
  ClaudeEvent event;
  event.name = text("hook_event_name");
  event.session = text("session_id");
  if (event.name.empty() || event.session.empty())
    return fail(Code::usage, "the event has no name or no session", "this command is called by Claude Code's hooks");
  if (!is_session_id(event.session))
    return fail(Code::usage, "the event's session id is not one of Claude Code's",
                "this command is called by Claude Code's hooks");
  event.transcript = text("transcript_path");
  event.source = text("source");
  event.notification = text("notification_type");
  event.tool = text("tool_name");
  event.prompt = text("prompt");
  event.message = event.name == "StopFailure" ? text("error") : text("message");
  event.in_subagent = object->contains("agent_id");
  return event;
}

std::string claude_answer(std::string_view event, std::string_view text) {
  JsonObject inner;
  inner["hookEventName"] = event;
  inner["additionalContext"] = text;
  JsonObject out;
  out["hookSpecificOutput"] = std::move(inner);
  return to_line(out) + "\n";
}

}  // namespace townpost
