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

  /// How far its waiting has come.
  enum class Stage {
    begins,
    claimed,  ///< it is known to wait, and the session's own hook has not spoken yet
    ours,     ///< the session is one of the agent's
  };
  /// What one look found.
  struct Look {
    Parcel parcel;      ///< what the session is to be woken with; with nothing but text it points at what it was given
    bool over = false;  ///< nothing to wait for any more: the session ended, or a newer waiter is there
    Stage stage = Stage::begins;
    Instant again_at = kForever;  ///< look again then, if nothing rings before
  };
  /// `began`: when the waiting began; `stage`: what the look before said.
  Result<Look> look(const ClaudeEvent& event, Instant began, Stage stage);
  /// Where whatever changes that is told, besides the agent's bell.
  std::filesystem::path ears() const;
  /// To be called when it was printed.
  Result<> printed(const Parcel& parcel);

 private:
  Result<> claim(const ClaudeEvent& event, const std::string& own) const;
  Result<> settle(const Presence& presence) const;
  bool is_newest(const ClaudeEvent& event, const std::string& own) const;
  Town& town_;
  const Agent& agent_;
  const ClaudeSurroundings& here_;
};

}  // namespace townpost
