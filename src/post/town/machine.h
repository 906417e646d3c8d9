#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace townpost {

/// The URI of a pane ("%5") or a session (its name) of a tmux server: "tmux:%5" on the usual one (`socket` empty),
/// else "tmux:/path/of/a/socket/%5".
inline std::string tmux_uri(const std::string& socket, const std::string& name) {
  return socket.empty() ? "tmux:" + name : "tmux:" + socket + "/" + name;
}

/// The tmux pane that the calling process really runs in.
struct OwnPane {
  std::string pane;       ///< "%5"
  std::string session;    ///< the name of its session, as it is now
  std::string socket;     ///< of its server; empty: this user's usual one
  int pid = 0;            ///< the process that the pane began with: an ancestor of the caller
  bool is_alone = false;  ///< its session has no other pane

  /// As an agent of this pane, or of this session, is registered.
  std::string uri() const { return tmux_uri(socket, pane); }
  std::string session_uri() const { return tmux_uri(socket, session); }
};

/// A tmux session that lives on this host.
struct LiveSession {
  std::string name;
  std::string uri;
  std::string program;     ///< what runs in it: "bash", "claude"
  bool is_agents = false;  ///< the program is known to be an agent
};

/// The live terminal sessions and the processes of this host. Any thread may ask, outside of transactions.
class Machine {
 public:
  virtual ~Machine() = default;
  /// The tmux sessions of exactly these names that are alive, by name.
  virtual std::vector<LiveSession> named(const std::set<std::string>&) { return {}; }
  /// Every tmux session, by name.
  virtual std::vector<LiveSession> all() { return {}; }
  /// The pane that the calling process runs in, if its tmux server confirms that: what the environment says alone
  /// proves nothing.
  virtual std::optional<OwnPane> own_pane() { return std::nullopt; }
  /// A name of the calling process that no other on any host has, while it runs and afterwards; empty if unknown.
  virtual std::string own_process() { return {}; }
  /// Whether a process of that name runs; also true if that cannot be told from here.
  virtual bool is_running(const std::string& process) { return !process.empty(); }
};

}  // namespace townpost
