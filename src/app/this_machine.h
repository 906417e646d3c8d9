#pragma once
#include <functional>

#include "base/environment.h"
#include "base/process.h"
#include "base/random.h"
#include "post/town/machine.h"
#include "post/town/process_notes.h"

namespace townpost {

struct Foreground;
struct TmuxPane;

/// Asks tmux, and the kernel. No tmux, no server or no answer means no session.
class ThisMachine final : public Machine {
 public:
  /// `process`: of the caller, if that is not this one.
  /// What `notes` has as an agent's session is no other one.
  ThisMachine(Processes& processes, Random& random, const Environment& environment, const ProcessNotes& notes,
              std::string process)
      : processes_(processes),
        random_(random),
        environment_(environment),
        notes_(notes),
        process_(std::move(process)) {}
  std::vector<LiveSession> named(const std::set<std::string>& names) override;
  std::vector<LiveSession> all() override;
  std::optional<OwnPane> own_pane() override;
  std::string own_process() override;
  bool is_running(const std::string& process) override;

 private:
  int pid_of_caller() const;
  /// Whether the pane is an agent's already, or the caller's own without an agent in it.
  bool is_taken(const TmuxPane& pane, const Foreground& foreground) const;
  /// Those that `wanted` takes, of the server that is meant here.
  std::vector<LiveSession> those(const std::function<bool(const std::string&)>& wanted);
  Processes& processes_;
  Random& random_;
  const Environment& environment_;
  const ProcessNotes& notes_;
  std::string process_;
};

}  // namespace townpost
