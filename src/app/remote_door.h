#pragma once
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "net/connection.h"
#include "ops/engine.h"

namespace townpost {

/// How a town on another machine is reached. `gt` itself speaks no TLS: its door hands the command over to `townpostd`,
/// which does (docs/decisions/0025).
class RemoteDoor {
 public:
  virtual ~RemoteDoor() = default;
  /// What runs operations there. `here` runs those that are for a town on this machine; both must outlive it.
  virtual Result<std::unique_ptr<Engine>> engine(Engine& here, const Clock& clock) = 0;
  /// How https is spoken, to machines of these numbers. Error: unavailable, where it is not.
  virtual Result<std::unique_ptr<Dialer>> dialer(AllowsNumber allows) = 0;
};

}  // namespace townpost
