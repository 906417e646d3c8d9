#include "delivery/claude/session_standing.h"

#include <algorithm>

#include "delivery/claude/claude_hook.h"
#include "post/town/presences.h"

namespace townpost {

namespace {

/// Whether this is the session that the one of the event was started in. What `gt agent run` started may be a shell.
bool is_around(const Presence& session, const ClaudeEvent& event, const ClaudeSurroundings& here) {
  return session.incarnation != event.session && !session.harness.is(Harness::Kind::terminal) &&
         session.host == here.host && session.pid > 0 && is_live(session) &&
         std::find(here.beyond.begin(), here.beyond.end(), session.pid) != here.beyond.end();
}

/// After /clear it is the same window.
bool is_same_window(const Presence& session, const ClaudeSurroundings& here) {
  return session.pid == here.pid && session.process == here.process;
}

}  // namespace

SessionStanding standing_of(const PresenceFiles& files, AgentId agent, const std::optional<Presence>& receiving,
                            const ClaudeEvent& event, const ClaudeSurroundings& here) {
  if (receiving && receiving->incarnation == event.session) return SessionStanding::receives;
  const bool live = receiving && is_live(*receiving);
  if (live && here.is_nested) return SessionStanding::helps;
  if (receiving && is_around(*receiving, event, here)) return SessionStanding::helps;
  const auto others = files.others(agent);
  if (std::any_of(others.begin(), others.end(), [&](const Presence& one) { return is_around(one, event, here); }))
    return SessionStanding::helps;
  // A session that was compacted is no new one.
  const bool begins = event.name == "SessionStart" && event.source != "compact";
  return begins || !live || receiving->incarnation.empty() ? SessionStanding::receives : SessionStanding::beside;
}

void take_over(const PresenceFiles& files, AgentId agent, const std::optional<Presence>& receiving,
               const ClaudeEvent& event, const ClaudeSurroundings& here) {
  for (const auto& other : files.others(agent))
    if (other.incarnation == event.session || is_same_window(other, here) || !is_live(other))
      files.forget_other(agent, other.incarnation);
  if (!receiving || receiving->incarnation == event.session || !is_live(*receiving)) return;
  // Whose process is not known could not be seen to end.
  const bool is_window =
      receiving->harness.is(Harness::Kind::hooked) && receiving->pid > 0 && receiving->host == here.host;
  if (is_window && !is_same_window(*receiving, here)) files.write_other(*receiving);
}

}  // namespace townpost
