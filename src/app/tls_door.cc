#include "app/tls_door.h"

#include "net/tls_dialer.h"
#include "remote/remote_engine.h"

namespace townpost {

Result<std::unique_ptr<Engine>> TlsDoor::engine(Engine& here, const Clock& clock) {
  return std::unique_ptr<Engine>(std::make_unique<RemoteEngine>(
      here, clock, [](const std::filesystem::path& authorities) -> Result<std::unique_ptr<Dialer>> {
        TRY(dialer, TlsDialer::make({.authorities = authorities}));
        return std::unique_ptr<Dialer>(std::make_unique<TlsDialer>(std::move(dialer)));
      }));
}

}  // namespace townpost
