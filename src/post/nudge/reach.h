#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/rules/limits.h"
#include "post/town/presences.h"
#include "post/town/town.h"

namespace townpost {

/// Who brings what waits in an agent's line to it.
enum class Carrier {
  nobody,        ///< it has no session; its next one is shown it first
  supervisor,    ///< its `gt agent run` asks for it
  hooks,         ///< they ask for it, at the latest with the next prompt
  trigger,       ///< its hooks, once somebody types something into its idle pane
  courier,       ///< whoever sends, or `gt up`: nobody in the session asks for it
  another_host,  ///< `gt up` there
};

/// How what waits gets to an agent.
struct Way {
  Carrier carrier = Carrier::nobody;
  std::string session;  ///< its URI, where it is spoken to from here
  std::string note;     ///< how else it gets there, for people
  bool from_outside() const { return carrier == Carrier::trigger || carrier == Carrier::courier; }
};
/// The one rule about it. `presence` is what was seen last; `has_waiter` tells whether somebody waits beside its idle
/// session, and is asked only where that decides; `host` is the one whose sessions can be reached from here.
Way way_to(const Agent& agent, const std::optional<Presence>& presence, const std::function<bool()>& has_waiter,
           const std::string& host);

/// What becomes of something that is sent to an agent, as its receipt says.
enum class ReachState {
  queued,      ///< it is shown at the next natural moment
  held,        ///< a rule, a hold or a quarantine keeps it from waking anybody
  muted,       ///< nobody is woken: do-not-disturb, or it was sent so
  blocked,     ///< the session waits for a person or a model
  asleep,      ///< the session is over; the next one is shown it first
  no_session,  ///< there never was one
};
constexpr ReachState last_value(ReachState) { return ReachState::no_session; }
std::vector<std::string_view> reach_state_names();
std::string_view name(ReachState state);
std::optional<ReachState> find_reach_state(std::string_view text);

/// How an agent can be reached now.
struct Reach {
  ReachState state = ReachState::queued;
  std::vector<std::string> in_the_way;  ///< for people, the weightiest first
  std::string how;                      ///< how it will be told, if nothing is in the way
  bool from_outside = false;            ///< somebody must carry it there: no hook or supervisor asks for it
};
/// What keeps a session from taking a turn: a dialog, a model that does not answer, refused hooks, a draft.
std::vector<std::string> obstacles_in(const Presence& presence);

/// What a person or the agent itself decided, which stands before everything else in the way.
struct Decision {
  ReachState state;
  std::string words;
};
/// The weightiest first. A nudge that is forced disturbs who does not want to be disturbed; a hold it does not pass.
enum class Forced { no, yes };
std::vector<Decision> decisions_about(const Agent& agent, const Care& care, const Watch& watch, Forced forced,
                                      Instant now);

/// What the store knows of how an agent can be reached: read in a transaction, told outside of it.
struct ReachFacts {
  StoredPresence presence;
  Care care;
  Watch watch;
  std::vector<Nudge> line;
  std::optional<Ruling> wakes_held;  ///< the rule that keeps everything in its line from waking it
};
Result<ReachFacts> reach_facts(Town& town, Ledger& ledger, AgentId agent);
/// The same for many, in this order.
Result<std::vector<ReachFacts>> reach_facts(Town& town, Ledger& ledger, const std::vector<AgentId>& agents);

/// A look at this host, for one agent or many: for outside of transactions.
class HostLook {
 public:
  explicit HostLook(const Town& town) : town_(town), words_(town) {}
  Reach reach(const Agent& agent, const ReachFacts& facts);

 private:
  bool is_watched();
  const Town& town_;
  std::optional<bool> watched_;  ///< somebody watches over this host's agents, if that was looked at
  LeftWords words_;
};

}  // namespace townpost
