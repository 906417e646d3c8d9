#pragma once
#include <optional>
#include <string>

#include "delivery/claude/claude_event.h"
#include "post/nudge/nudges.h"
#include "post/town/hint.h"
#include "post/values/presence.h"

namespace townpost {

/// Where a hook runs, as the processes above it and its environment say.
struct ClaudeSurroundings {
  std::string host;
  int pid = 0;              ///< of Claude Code itself, found above the hook; 0 if it is not there
  std::string process;      ///< the same, see process_name()
  std::vector<int> beyond;  ///< the processes that Claude Code runs in
  bool is_nested = false;   ///< another agent program is among them
  std::string session;      ///< the URI of its tmux pane, or empty
  bool attended = true;     ///< false: headless, where nobody waits at a prompt
};

/// The agent's presence after `event`. What a nudge is handed out for at this event is not in it yet.
Presence presence_after(const std::optional<Presence>& before, AgentId agent, const ClaudeEvent& event,
                        const ClaudeSurroundings& here, Instant now);

/// The moment that an event is for nudges, if it is one.
std::optional<Boundary> boundary_of(const ClaudeEvent& event, const std::optional<Presence>& before);

/// One event of one agent's session: its presence is noted, what it proves is settled, and what is due is taken.
class ClaudeHook {
 public:
  ClaudeHook(Town& town, const Agent& agent, const ClaudeSurroundings& here)
      : town_(town), agent_(agent), here_(here) {}

  struct Outcome {
    std::string print;  ///< what goes to standard output; empty: nothing
    Parcel parcel;
    bool is_helper = false;  ///< of another session of the agent: it is told nothing
  };
  Result<Outcome> handle(const ClaudeEvent& event);
  /// To be called when it was printed.
  Result<> printed(const ClaudeEvent& event, const Parcel& parcel);

 private:
  Result<> settle(const ClaudeEvent& event, const std::optional<Presence>& before, const Presence& after);
  Result<Outcome> settle_and_take(const ClaudeEvent& event, const std::optional<Presence>& before,
                                  const Presence& after);
  Town& town_;
  const Agent& agent_;
  const ClaudeSurroundings& here_;
};

/// An event with nothing to do, without the store: true if it was dealt with. `hint` is the caller's.
bool nothing_to_do(const std::filesystem::path& town, const Hint& hint, const ClaudeEvent& event,
                   const ClaudeSurroundings& here, Instant now);

}  // namespace townpost
