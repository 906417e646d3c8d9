#pragma once
#include <vector>

#include "base/log.h"
#include "base/signals.h"
#include "daemon/service.h"

namespace townpost {

/// Runs services side by side, with one listener for all: sleeps until something happened, one of them wants its turn,
/// or the process is sent a signal.
class Loop {
 public:
  Loop(Listener& listener, const SignalInbox& signals, const Clock& clock, const Log& log)
      : listener_(listener), signals_(signals), clock_(clock), log_(log) {}

  /// Until a service is over, or ends it for a signal.
  void run(const std::vector<Service*>& services);

 private:
  Listener& listener_;
  const SignalInbox& signals_;
  const Clock& clock_;
  const Log& log_;
};

}  // namespace townpost
