#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/process.h"
#include "base/random.h"
#include "delivery/session/agent_session.h"
#include "delivery/tmux/jump.h"
#include "delivery/tmux/tmux.h"
#include "net/connection.h"
#include "post/values/agent.h"
#include "post/values/presence.h"

namespace townpost {

/// Opens the session that a URI names. Handed in, so that towns can be tested without any program. For one thread.
class SessionDoors {
 public:
  virtual ~SessionDoors() = default;
  /// The session of `agent` behind a URI. Error: usage, if nothing can be reached that way. Whether anybody is there is
  /// told by the session's look().
  virtual Result<std::unique_ptr<AgentSession>> open(const std::string& uri, const Agent& agent,
                                                     const Presence& presence) = 0;
  /// The live session that belongs to an address by its name, for agents that named none; empty if there is none.
  virtual std::string find(const Address& address, const std::string& rig_prefix) = 0;
  /// The process that a terminal's session began with; 0 if there is none to be found.
  virtual int process_of(const std::string&) { return 0; }
  /// Whether an agent program that we know runs in the terminal behind this URI.
  virtual bool is_agents(const std::string&) { return false; }
  /// A session URI as it is stored: with the tmux server that it is on.
  virtual std::string stored_uri(const std::string& uri) { return uri; }
  /// What is stored for `--harness WORD` of the session behind this URI. Error: usage or refused.
  virtual Result<std::string> harness_word(const std::string& word, const std::string&) { return word; }
  /// The pane behind a URI, if it is still the agent's, for a person who wants to look at it. Error: usage if it is no
  /// tmux session, not_found, forbidden if it is another's by now.
  virtual Result<PanePlace> pane_of(const std::string& uri, const Agent& agent, const Presence& presence);
  /// The pane that a process runs in; nothing if it runs in none that can be seen from here.
  virtual std::optional<PanePlace> pane_around(int) { return std::nullopt; }
  /// What a pane shows, as plain text. Error: not_found.
  virtual Result<std::string> screen_of(const PanePlace& place);
};

/// How services that run agents are reached (sessions "http:URL").
struct HttpReach {
  /// Makes connections to machines of these numbers only. Error: unavailable, where TLS is not spoken.
  std::function<Result<std::unique_ptr<Dialer>>(Url::Scheme scheme, AllowsNumber allows)> dialer;
  /// The setting http.allow_targets, as it is now.
  std::function<std::vector<std::string>()> allowed;
};

/// Sessions of this host's programs, tmux panes and OpenCode servers, and of services that run agents. For one thread:
/// find() keeps what it saw last.
class SystemDoors final : public SessionDoors {
 public:
  SystemDoors(Processes& processes, Random& random, const Clock& clock, const Environment& environment,
              const std::filesystem::path& town, HttpReach http = {})
      : processes_(processes),
        random_(random),
        clock_(clock),
        environment_(environment),
        locks_(town / "run" / "lock"),
        http_(std::move(http)) {}
  Result<std::unique_ptr<AgentSession>> open(const std::string& uri, const Agent& agent,
                                             const Presence& presence) override;
  std::string find(const Address& address, const std::string& rig_prefix) override;
  int process_of(const std::string& uri) override;
  bool is_agents(const std::string& uri) override;
  std::string stored_uri(const std::string& uri) override;
  Result<std::string> harness_word(const std::string& word, const std::string& uri) override;
  Result<PanePlace> pane_of(const std::string& uri, const Agent& agent, const Presence& presence) override;
  std::optional<PanePlace> pane_around(int pid) override;
  Result<std::string> screen_of(const PanePlace& place) override;

 private:
  Result<std::unique_ptr<AgentSession>> open_tmux(const std::string& uri, const Agent& agent, const Presence& presence);
  Processes& processes_;
  Random& random_;
  const Clock& clock_;
  const Environment& environment_;
  Result<std::unique_ptr<AgentSession>> open_http(const std::string& uri, const Agent& agent, const Presence& presence);
  std::filesystem::path locks_;
  HttpReach http_;
  std::vector<std::string> live_;  ///< tmux sessions, as they were at
  Instant live_at_;
};

/// Whether a session can be reached from its own host only.
bool is_of_this_host(const std::string& uri);

/// What is typed into a session whose hooks supply the rest.
constexpr std::string_view kTrigger = "Townpost: something waits for you.";

}  // namespace townpost
