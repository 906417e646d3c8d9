#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/process_tree.h"
#include "base/result.h"
#include "post/people/identity.h"
#include "post/town/turn.h"

namespace townpost {

class Call;

/// Whether a call may wait for its turn to write, or gives up soon.
enum class Haste {
  none,
  hook,     ///< nobody waits for a hook
  service,  ///< somebody who watches has other things to do, too
};

/// How near the caller is to the process that runs the operation. Whoever takes a call in says so.
enum class From {
  this_process,  ///< it is the caller's own
  this_host,     ///< another process of this machine, as its kernel confirms
  elsewhere,     ///< the network, or nobody knows
};

/// Where a call comes from: what the calling process was given and what it runs in, as far as that says who it is and
/// which town it means. A server fills it in by what the kernel says of the caller.
struct Origin {
  From from = From::elsewhere;      ///< the gate lets it do what can be done from there
  std::optional<std::string> town;  ///< --town
  const Environment* environment = nullptr;
  IdentityInputs identity;
  std::vector<ProcessLook> above;                       ///< the processes that the caller runs in, the nearest first
  std::optional<FixedEnvironment> session_environment;  ///< of the session's own process, where one is known
  std::string place;    ///< the session around the caller, else its terminal; empty if it has neither
  std::string process;  ///< the caller's (see process_name), if that is not this one: what it carries is leased to it

  /// What the session around the caller was given, else what the caller was.
  const Environment& outer_environment() const { return session_environment ? *session_environment : *environment; }
  bool at_terminal() const { return identity.terminal == Terminal::attended; }
  /// If it runs inside an agent's session, whoever's that is: what tells, for people.
  std::optional<std::string> sign_of_agents_session() const {
    return identity.around ? std::optional(identity.around->sign) : std::nullopt;
  }
};

/// What one call has: where it comes from, what it was given, how long it may take, and what it leaves for later. One
/// thread uses it at a time; others may cancel it.
struct Request {
  Origin origin;
  Haste haste = Haste::none;
  Instant started_at;
  std::optional<Instant> deadline;                   ///< nothing is begun after it
  std::shared_ptr<const Cancellation> cancellation;  ///< may be null
  /// What the caller gives on standard input; the same each time.
  std::function<Result<std::string>()> input;
  /// A word for people while something goes on.
  std::function<void(std::string_view)> tell;
  /// One more item of what the caller watches, as the operation's front end shows it. May be null.
  std::function<void(const Json&)> show;

  /// The newest run of the operation: what is to follow may still need its town.
  std::shared_ptr<Call> call;
  /// What is to follow once the caller has the answer; see Engine::handed_over.
  std::vector<std::function<Result<>()>> after_handover;
  /// What an operation that looks again keeps from one look to the next.
  std::map<std::string, std::string> kept;

  /// How long this call waits for a store that others use.
  Patience patience(const Clock& clock) const;
  bool is_cancelled() const { return cancellation && cancellation->is_cancelled(); }
  /// Error: timeout, if the deadline has passed or nobody waits for the answer any more.
  Result<> check(Instant now) const;
};

}  // namespace townpost
