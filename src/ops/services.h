#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delivery/session_doors.h"
#include "delivery/starter.h"
#include "delivery/supervisor.h"
#include "post/town/presences.h"
#include "post/town/process_notes.h"

namespace townpost {

/// What whoever watches over a town works with.
struct Watching {
  Town& town;
  SessionDoors& doors;
  Starter& starter;
  std::function<void(std::string_view)> tell;  ///< a word for people
  std::function<void()> renew_settings;        ///< the town's, to what they are now
  std::function<Result<>()> tell_news;         ///< what happened since the last call; may be null
  std::string listen = {};                     ///< where HTTP is answered; empty: nowhere
  bool any_port = false;                       ///< another one, if that is taken
  bool must_serve = false;                     ///< without it there is no watch either
};

/// A watch that goes on in a process of its own.
struct BackgroundWatch {
  int pid = 0;
  std::filesystem::path log;
};

/// What a process stays for. Handed in: the loops stand above the operations, because some of them will serve these.
/// For the one thread that stays.
class Services {
 public:
  virtual ~Services() = default;
  /// First of all in a call that stays: if another program is better at it, that one takes our place.
  virtual void hand_over() = 0;
  /// Watches over this host's agents until the process is told to end. Error: timeout, if another one does.
  virtual Result<> watch(const Watching& watching) = 0;
  /// What to do with one that watches already.
  enum class Other { refuse, replace };
  /// The same in a process of its own, by `program`, which insists on `listen` if that is not empty; returns once that
  /// one watches. Error: unavailable, if it ended.
  virtual Result<BackgroundWatch> watch_in_background(const std::filesystem::path& town, const std::string& program,
                                                      Other other, const std::string& listen) = 0;
  /// Who watches after it.
  enum class Next { nobody, this_process };
  /// Tells the process that watches over the town to leave, and waits until it has; what it is asked meanwhile waits
  /// for who comes next. Error: refused, if it is not of this host; timeout.
  virtual Result<> end_watch(const std::filesystem::path& town, const Watcher& watcher, Next next) = 0;
  /// Runs the agent's program and keeps it available; how it ended. Error: refused, if it runs already.
  virtual Result<EndedProgram> run_agent(Town& town, const Agent& agent, const SupervisorPlan& plan,
                                         const ProcessNotes& notes) = 0;
};

}  // namespace townpost
