#pragma once
#include <string>
#include <vector>

#include "support/terminal.h"
#include "support/test_town.h"
#include "support/tmux_server.h"

namespace townpost {

/// The ways in which a process may come to call `gt`.
enum class CallerKind {
  nameless,          ///< inside a program called claude that nobody gave a name
  by_environment,    ///< MAIL_IDENTITY
  marked,            ///< evil by environment, below a program that only the variables it sets give away
  supervised,        ///< below `gt agent run`
  quarantined,       ///< by environment, and in quarantine
  in_anothers_pane,  ///< evil by environment, in the tmux pane that is victim's
  script,            ///< nothing says who, and there is no terminal
  person,            ///< the same at a terminal
};
std::string_view name(CallerKind kind);

/// A town with an honest agent `victim`, a hostile one `evil` and one in quarantine, `shut`, and everything of victim's
/// that somebody could want to touch.
class HostileTown {
 public:
  HostileTown();

  struct Attempt {
    int exit_code = 0;
    std::string out;       ///< what gt printed, both streams
    bool changed = false;  ///< whether anything in the store, or another file, is other than before
  };
  /// Runs `gt WORDS…` as that caller, on a store that is as it was when the town was made.
  Attempt attempt(CallerKind kind, const TestTown::Words& words) { return attempts(kind, {words}).front(); }
  /// Several in a row, each on what the one before it left.
  std::vector<Attempt> attempts(CallerKind kind, const std::vector<TestTown::Words>& calls);
  /// The store is again as it was when the town was made.
  void restore();
  /// Runs a shell script as that caller, on the store as it is; $GT is the program. What it printed.
  ProcessOutput script(CallerKind kind, const std::string& text);

  TestTown& town() { return town_; }
  const std::string& mail() const { return mail_; }      ///< a message of overseer to victim
  const std::string& thread() const { return thread_; }  ///< its thread
  const std::string& nudge() const { return nudge_; }    ///< overseer's, for victim
  const std::string& job() const { return job_; }        ///< in a queue for victim, claimed by it
  const std::string& token() const { return token_; }    ///< the id of victim's token

 private:
  TestTown town_;
  TmuxServer tmux_{town_};
  std::string pane_;
  std::string mail_, thread_, nudge_, job_, token_;
};

}  // namespace townpost
