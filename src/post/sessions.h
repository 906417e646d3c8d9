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
};

}  // namespace townpost
