#pragma once
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/child.h"
#include "delivery/lifecycle.h"
#include "delivery/opencode/opencode_watch.h"
#include "delivery/stream/stream_session.h"
#include "post/nudge/nudges.h"

namespace townpost {

/// How a supervised agent is spoken to.
enum class Adapter {
  terminal,  ///< it has our terminal; its hooks carry what it is shown
  stream,    ///< JSON lines of Claude Code on its input and output
  lines,     ///< JSON lines of any program
  opencode,  ///< it is a server that prints where it listens
};
std::string_view name(Adapter adapter);
std::optional<Adapter> find_adapter(std::string_view name);
/// What a command is, as far as its words tell.
Adapter adapter_of(const std::vector<std::string>& command);

struct SupervisorPlan {
  Adapter adapter = Adapter::terminal;
  std::optional<Millis> idle_timeout;  ///< instead of its role's
  bool used_by_person = false;         ///< nobody's program ends under their hands unless somebody asked for it
  std::vector<std::string> command;
};

/// How an agent of a role with this policy lives under the plan.
RolePolicy policy_under(const SupervisorPlan& plan, RolePolicy of_role);

/// How a supervised program ended.
struct EndedProgram {
  int exit_code = 0;
  std::string stopped;  ///< why it was stopped; empty if it ended by itself
};

/// The signal that tells a supervisor to let its agent finish.
constexpr int kDrain = SIGUSR1;

/// Runs one agent and keeps it available: what waits for it is shown to it at the end of each turn, and it is stopped
/// when nothing came for a while. It never waits by itself: whoever runs it calls it whenever something may have
/// happened. For one thread.
class Supervisor {
 public:
  Supervisor(Town& town, const Agent& agent, SupervisorPlan plan, std::string host);
  /// Starts the agent.
  Result<> begin();
  /// What there may be to read, besides its bell and its presence.
  std::vector<int> descriptors() const;
  /// Passed on to the agent in the next round, but for kDrain.
  void hear_signal(int number) { signals_.push_back(number); }
  /// Everything that can be done now. When to come again, at the latest.
  Instant round();
  /// How the agent ended, once it has.
  const std::optional<EndedProgram>& ended() const { return ended_; }

 private:
  void heed_signals();
  void see_it_off();
  Result<> open_server(const std::string& url);
  void hear_child();
  void hear(const SessionEvent& event);
  void hear_presence();
  void look_at_server();
  void feel(LifeEvent event);
  void act(LifeAction action);
  void look_for_work();
  void look_mid_turn();
  void carry(Nudges& nudges, const Parcel& parcel, Injection::At at);
  void stop_child(std::string why);
  void tell_presence();
  AwakeTime awake();
  Frame frame() const { return plan_.adapter == Adapter::lines ? Frame::plain : Frame::reminder; }
  Millis until_next();

  Town& town_;
  Agent agent_;
  SupervisorPlan plan_;
  std::string host_;
  LifeRules rules_;
  Life life_;
  Watch watch_;  ///< its own: idle timers run while we are awake, even if the store cannot be written
  PresenceFiles files_;
  Presence presence_;
  std::optional<Child> child_;
  std::vector<int> signals_;
  std::optional<EndedProgram> ended_;
  std::string stopped_;  ///< why it was told to end
  std::optional<StreamLines> lines_;
  StreamSession* stream_ = nullptr;  ///< `session_`, if it is one
  std::unique_ptr<AgentSession> session_;
  OpencodeWatch servers_;
  std::optional<OpencodeAddress> server_;  ///< the session's, once there is one
  Instant listen_again_at_;                ///< if its stream of events is lost
  Instant server_seen_at_;
  std::string unread_output_;  ///< of a server that has not said yet where it listens
  bool output_ended_ = false;
  std::optional<Instant> look_again_at_;  ///< for work that becomes due without a ring
  std::optional<Instant> kill_at_;        ///< it was asked to end, and has until then
  Instant tended_at_;
  Boundary look_at_ = Boundary::start;  ///< which moment the next look for work is
};

}  // namespace townpost
