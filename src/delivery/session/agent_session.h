#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace townpost {

/// What an agent's session looks like from outside.
enum class SessionState {
  idle,      ///< waits for a prompt
  busy,      ///< works
  blocked,   ///< a dialog or selection list is open: nothing may be typed
  typing,    ///< a person has a draft in the input line, or touched the keyboard just now
  starting,  ///< alive, but not ready for a prompt yet
  gone,      ///< the session is not there
  shut,      ///< what is there is not known to be the agent's prompt: nothing may be typed
  silent,    ///< something is there and does not answer
  unknown,   ///< alive; the rest cannot be told
};

struct SessionLook {
  SessionState state = SessionState::unknown;
  std::string detail;  ///< for people: "a permission dialog is open"
  std::string asks;    ///< a line of what a dialog asks, in its own words; empty if that is not known
};

/// Text for a session, and the ids of the nudges it carries.
struct Injection {
  enum class At { idle, any };  ///< any: also while the agent works
  std::string text;
  std::vector<std::string> ids;
  At at = At::idle;
};

/// How an attempt to inject ended, with the evidence or the reason.
struct Injected {
  enum class Outcome {
    shown,        ///< proven to have arrived
    handed,       ///< taken by the session; its next event will be the proof
    not_started,  ///< nothing was touched (busy, blocked, a person typing, nobody there): this was no attempt
    failed,       ///< begun, then taken back or unproven
  };
  Outcome outcome = Outcome::failed;
  std::string detail;
};

/// Something that a session reported by itself.
struct SessionEvent {
  enum class Kind {
    busy,     ///< a turn began
    idle,     ///< a turn ended
    blocked,  ///< a person must decide something
    resumed,  ///< they did
    stalled,  ///< the model did not answer: rate limit, overload
    shown,    ///< `detail` is text that reached the session (it may hold ids)
    ended,    ///< the session is over
    alive,    ///< a heartbeat or anything else: proof of life, and nothing more
  };
  Kind kind = Kind::alive;
  std::string session;  ///< the harness's own id of the session, where it says
  std::string detail;
};

/// One agent's live session, reached in the one way that its kind allows. Knows nothing of queues or policy. For one
/// thread at a time.
class AgentSession {
 public:
  virtual ~AgentSession() = default;
  virtual SessionLook look() = 0;
  /// The same at one quick look, which does not tell a screen that rests from one that moves.
  virtual SessionLook glance() { return look(); }
  /// Whether text with this id is to be seen there already; nothing if that cannot be told.
  virtual std::optional<bool> shows(std::string_view id) = 0;
  virtual Injected inject(const Injection& injection) = 0;
  /// What kind of agent was found there, where that has to be found out; empty if nothing is known.
  virtual std::string_view harness() const { return {}; }
  /// Shows a line to the people who look at this session, where that is possible without touching it.
  virtual void tell_people(std::string_view) {}
};

}  // namespace townpost
