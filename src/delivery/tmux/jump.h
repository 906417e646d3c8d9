#pragma once
#include <string>
#include <vector>

#include "base/environment.h"

namespace townpost {

/// A pane that a person may look at.
struct PanePlace {
  std::string socket;   ///< of its server, the whole path
  std::string pane;     ///< "%5"
  std::string session;  ///< the name of its session, as it is now
};

/// How a person comes to a pane from where they are.
struct Jump {
  enum class Kind {
    switched,  ///< they are in tmux, and the pane is on the same server: their client shows it from then on
    attached,  ///< the terminal becomes a client of that server, until it is detached
  };
  Kind kind = Kind::attached;
  std::vector<std::string> command;  ///< no shell is needed
  bool leaves_tmux = false;          ///< they are in tmux, on another server: TMUX is to be unset
};
Jump jump_to(const PanePlace& place, const Environment& environment);

}  // namespace townpost
