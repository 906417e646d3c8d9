#pragma once
#include <string>

#include "base/result.h"
#include "post/values/agent.h"
#include "post/values/presence.h"

namespace townpost {

/// Starts agents for what waits for them; handed in, so that a town can be tested without programs. For one thread: it
/// remembers what it started.
class Starter {
 public:
  virtual ~Starter() = default;
  /// `session` is what `{session}` in the command stands for: a word of its own for its shell, never a part of it.
  virtual Result<> start(const Agent& agent, const std::string& command, const std::string& session) = 0;
  /// Whether a `gt agent run` of this host has the agent's program, and ends it when it is told to.
  virtual bool can_stop(const Agent& agent) = 0;
  virtual void stop(const Agent& agent) = 0;
  virtual bool is_alive(const Presence& presence) = 0;
};

}  // namespace townpost
