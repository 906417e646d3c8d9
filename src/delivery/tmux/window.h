#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"

namespace townpost {

/// A tmux window that is to be opened for a program. No shell sees its command.
struct WindowPlan {
  std::string name;
  std::string session;  ///< which gets the window where we are in no session ourselves; made if it is not there
  std::string folder;
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  ///< besides that of the tmux server
};

struct OpenedWindow {
  std::string session;  ///< its name
  std::string pane;     ///< "%5"
  std::string uri;      ///< of the pane, with its server
};

/// Opens it beside the windows of the session we are in, else in a session of its own that nobody looks at yet. The
/// window goes with its program, but stays to be read if that fails. Error: not_found, if there is no tmux.
Result<OpenedWindow> open_window(const WindowPlan& plan, const Environment& environment, Processes& processes);

/// What the pane shows, without the empty lines at its end; empty if it is gone. `dead`: its program has ended.
struct PaneNow {
  bool there = false;
  bool dead = false;
  std::string text;
};
PaneNow look_at_pane(const OpenedWindow& window, Processes& processes);

}  // namespace townpost
