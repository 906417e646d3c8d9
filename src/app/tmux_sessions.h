#pragma once
#include "base/environment.h"
#include "base/process.h"
#include "post/sessions.h"

namespace townpost {

/// Asks tmux, and the kernel. No tmux, no server or no answer means no session.
class TmuxSessions final : public Sessions {
 public:
  TmuxSessions(Processes& processes, const Environment& environment)
      : processes_(processes), environment_(environment) {}
  bool is_live(const std::string& name) override;
  std::optional<std::string> own_session() override;
  std::string own_process() override;
  bool is_running(const std::string& process) override;

 private:
  Processes& processes_;
  const Environment& environment_;
};

}  // namespace townpost
