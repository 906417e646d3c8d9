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

  /// What one look found.
  struct Look {
    Parcel parcel;      ///< what the session is to be woken with; with nothing but text it points at what it was given
    bool over = false;  ///< nothing to wait for any more: the session ended, or a newer waiter is there
    bool is_ours = false;  ///< the agent's session is this one; another one has waiters of its own
    Millis longest{0};     ///< look again after this time, if nothing rings before
  };
  /// `began`: when the waiting began; `was_ours`: what the look before said.
  Result<Look> look(const ClaudeEvent& event, Instant began, bool was_ours);
  /// Where whatever changes that is told, besides the agent's bell.
  std::filesystem::path ears() const;
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
