#pragma once
#include "support/test_town.h"

namespace townpost {

/// A tmux server of its own, beside whatever runs on this machine. Ended with all its panes at the end.
class TmuxServer {
 public:
  /// Its socket lives in the town's folder.
  explicit TmuxServer(const TestTown& town);
  ~TmuxServer();
  TmuxServer(const TmuxServer&) = delete;
  TmuxServer& operator=(const TmuxServer&) = delete;

  /// Starts a session that only waits, or runs `command`; the id of its pane, such as "%0".
  std::string start_session(const std::string& name, const std::string& command = "cat");
  /// Runs `gt WORDS…` inside that pane, as a program that was started there. What the pane ran before ends.
  ProcessOutput gt_in_pane(const std::string& pane, const TestTown::Words& words,
                           const TestTown::Variables& variables = {});
  /// The same with any command line of the shell.
  ProcessOutput shell_in_pane(const std::string& pane, const std::string& command,
                              const TestTown::Variables& variables = {});
  /// A pane or session of this server as an agent is registered for it.
  std::string uri(const std::string& name) const;
  /// Ends the server and everything in it.
  void end() const;
  /// The variables that lead other processes to this server.
  TestTown::Variables variables() const { return {{"TMUX_TMPDIR", town_.folder().string()}}; }

  ProcessOutput tmux(const TestTown::Words& words) const;

 private:
  const TestTown& town_;
  int runs_ = 0;
};

}  // namespace townpost
