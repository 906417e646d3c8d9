#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delivery/session/agent_session.h"

namespace townpost {

/// The JSON lines of agents that we start: what they are told, and what they tell.
enum class StreamDialect {
  claude,  ///< Claude Code: -p --input-format stream-json --output-format stream-json --verbose --replay-user-messages
  lines,  ///< any program: {"type":"message",…} in; {"type":"idle"}, "busy", "blocked", "resumed", "stalled", "shown",
          ///< "ended", "alive" out, each with "text" and "session" where it has them
};

/// One line with its newline, for the agent's input. The same ids give the same id of the line, so that an agent can
/// tell a repeat (Claude Code does); without any the line has no id.
std::string stream_message(StreamDialect dialect, const Injection& injection);

/// What one line of the agent's output says; nothing if it is not for us.
std::optional<SessionEvent> stream_event(StreamDialect dialect, std::string_view line);

/// Takes an agent's output as it arrives, however it is cut into pieces. A line over `longest` is dropped; an event
/// `alive` tells of it.
class StreamLines {
 public:
  static constexpr std::size_t kLongest = 8u << 20;
  explicit StreamLines(StreamDialect dialect, std::size_t longest = kLongest) : dialect_(dialect), longest_(longest) {}

  std::vector<SessionEvent> feed(std::string_view bytes);

 private:
  StreamDialect dialect_;
  std::size_t longest_;
  std::string line_;
  bool over_ = false;
};

}  // namespace townpost
