#pragma once
#include "app/remote_door.h"

namespace townpost {

/// The door of a program that speaks TLS.
class TlsDoor final : public RemoteDoor {
 public:
  Result<std::unique_ptr<Engine>> engine(Engine& here, const Clock& clock) override;
  Result<std::unique_ptr<Dialer>> dialer(AllowsNumber allows) override;
};

}  // namespace townpost
