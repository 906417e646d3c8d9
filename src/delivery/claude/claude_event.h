#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace townpost {

/// One event of a Claude Code session, as its hooks get it on standard input.
struct ClaudeEvent {
  std::string name;  ///< "Stop", "UserPromptSubmit", …
  std::string session;
  std::string transcript;
  std::string source;        ///< of SessionStart: startup, resume, clear, compact
  std::string notification;  ///< of Notification: permission_prompt, idle_prompt, …
  std::string tool;
  std::string prompt;
  std::string message;  ///< of Notification and StopFailure: what to tell people
  bool in_subagent = false;

  /// A prompt that the harness made itself (a background task ended, a waiting hook woke it), not its user.
  bool made_by_harness() const { return prompt.starts_with("<task-notification>"); }

  /// Error: usage, if this is not the JSON of an event.
  static Result<ClaudeEvent> parse(std::string_view json);
};

/// What a hook prints to put `text` before the model at this event.
std::string claude_answer(std::string_view event, std::string_view text);

}  // namespace townpost
