#pragma once
#include <future>
#include <optional>
#include <string>

#include "base/child.h"
#include "delivery/session_doors.h"
#include "post/nudge/nudges.h"
#include "post/nudge/reach.h"

namespace townpost {

/// Carries what waits for an agent to its session, now, if that is possible: for agents that must be reached from
/// outside. Those with hooks, or with a supervisor, are served by these.
class Courier {
 public:
  /// `host`: the one whose sessions can be reached from here.
  Courier(Town& town, SessionDoors& doors, std::string host = host_name())
      : town_(town), doors_(doors), host_(std::move(host)) {}

  struct Report {
    bool carried = false;
    std::string note;                      ///< why not, for people
    bool busy = false;                     ///< it was seen to work
    std::optional<Instant> look_again_at;  ///< something waits, and this is when to try again
    bool soon = false;                     ///< within seconds, so that whoever carries may stay for it
  };
  /// What whoever watches saw last. From busy to idle a turn has ended, and what waits for that is due.
  enum class Before { unknown, busy };
  Result<Report> deliver(AgentId id, Before before = Before::unknown);
  /// Begins to look at the session of an agent that will be delivered to in a moment, beside what is done until then.
  void look_ahead(AgentId id);
  /// Looks at the session behind this URI and notes how it is; carries nothing.
  void look(const Agent& agent, const Presence& known, const std::string& uri);

 private:
  struct Known {
    std::optional<Agent> agent;
    std::optional<Presence> presence;
    bool waits = false;  ///< something is in its line
    std::string rig_prefix;
  };
  /// A session, and what a look at it shows or will show.
  struct Door {
    std::string uri;
    std::unique_ptr<AgentSession> session;
    std::future<SessionLook> look;
  };
  /// What is known of the session behind a way. Another door leads to another session: what the last one was given is
  /// not known there.
  static Presence behind(const Way& way, const Presence& known);
  /// The rule of post/nudge/reach.h; who has no session may sit in one that has its name.
  Way find_way(const Agent& agent, const std::optional<Presence>& presence, const std::string& rig_prefix) const;
  Result<Known> know(AgentId id);
  Result<Door> open(const Way& way, const Agent& agent, const Presence& presence, std::launch when);
  Result<Report> carry(const Agent& agent, const Presence& presence, const Way& way, Door& door, Before before);
  Result<Report> call_hooks(const Presence& known, const Parcel& parcel, AgentSession& session);
  void note_that_hooks_leave(const Presence& known) const;
  Result<> give_up_on_hooks(AgentId agent, const std::string& incarnation);
  bool was_just_handed(AgentId agent, const std::string& incarnation) const;
  Result<> lose_ephemeral(AgentId agent, std::string_view why);
  void note_look(const Agent& agent, Presence presence, const Way& way, const SessionLook& look,
                 std::string_view harness) const;

  Town& town_;
  SessionDoors& doors_;
  std::string host_;
  std::optional<Door> ahead_;
};

/// The state of an agent whose session looks like this.
AgentState state_of(SessionState look);
/// What a look found, for people, with what a dialog asks.
std::string detail_of(const SessionLook& look);

}  // namespace townpost
