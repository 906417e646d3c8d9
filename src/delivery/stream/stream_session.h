#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "delivery/session/agent_session.h"
#include "delivery/stream/stream_lines.h"

namespace townpost {

/// An agent that we started: told by lines on its input, known by the events on its output. Whoever reads that output
/// hands each event to take(). SIGPIPE must be ignored, as the program does.
class StreamSession final : public AgentSession {
 public:
  /// `input` is the writable end of the agent's input. It becomes non-blocking, and stays the caller's.
  StreamSession(int input, StreamDialect dialect, Millis longest_write = std::chrono::seconds(5));

  void take(const SessionEvent& event);
  SessionLook look() override { return state_; }
  std::optional<bool> shows(std::string_view id) override;
  Injected inject(const Injection& injection) override;

 private:
  /// A line that the agent has read only in part. It must be finished first: half a line would spoil the next one.
  struct Unfinished {
    std::vector<std::string> ids;
    std::string rest;
  };
  enum class Written { whole, late, broken };
  enum class Begun { no, yes };  ///< whether some of the line in question is already in its input

  void remember(const std::string& text);
  Written write_line(std::string& bytes) const;
  Injected not_taken(Written how, Begun begun);

  int input_;
  StreamDialect dialect_;
  Millis longest_write_;
  SessionLook state_;
  std::deque<std::string> shown_;  ///< the latest texts that reached it
  std::size_t shown_bytes_ = 0;
  bool forgot_some_ = false;
  std::optional<Unfinished> unfinished_;
};

}  // namespace townpost
