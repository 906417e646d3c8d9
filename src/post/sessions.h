#pragma once
#include <optional>
#include <string>

namespace townpost {

/// The live terminal sessions of this host.
class Sessions {
 public:
  virtual ~Sessions() = default;
  /// Whether a tmux session of exactly this name is alive.
  virtual bool is_live(const std::string& name) = 0;
  /// The tmux session that the calling process runs in, if any.
  virtual std::optional<std::string> own_session() = 0;
  /// A name of the calling process that no other on any host has, while it runs and afterwards; empty if unknown.
  virtual std::string own_process() { return {}; }
  /// Whether a process of that name runs; also true if that cannot be told from here.
  virtual bool is_running(const std::string& process) { return !process.empty(); }
};

}  // namespace townpost
