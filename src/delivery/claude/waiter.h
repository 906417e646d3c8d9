#pragma once
#include <filesystem>
#include <string>

#include "delivery/claude/claude_hook.h"

namespace townpost {

/// Waits beside an idle session until something is due, then has it woken: what Claude Code starts at Stop and
/// SessionStart with asyncRewake. Ends by itself with its session, or when a newer one waits.
class ClaudeWaiter {
 public:
  ClaudeWaiter(Town& town, const Agent& agent, const ClaudeSurroundings& here)
      : town_(town), agent_(agent), here_(here) {}

  /// What the session is to be woken with; without text: nothing to do any more. A parcel with nothing but text points
  /// at what the session was given at its start.
  Result<Parcel> wait(const ClaudeEvent& event);
  /// To be called when it was printed.
  Result<> printed(const Parcel& parcel);

 private:
  Result<> claim(const std::string& own) const;
  Result<> settle(const Presence& presence) const;
  bool is_newest(const std::string& own) const;
  Town& town_;
  const Agent& agent_;
  const ClaudeSurroundings& here_;
};

}  // namespace townpost
