#include "app/tls_door.h"

#include "net/tls_dialer.h"
#include "remote/remote_engine.h"

namespace townpost {

namespace {

Result<std::unique_ptr<Dialer>> made(const TlsDialer::Trust& trust) {
  TRY(dialer, TlsDialer::make(trust));
  return std::unique_ptr<Dialer>(std::make_unique<TlsDialer>(std::move(dialer)));
}

}  // namespace

Result<std::unique_ptr<Engine>> TlsDoor::engine(Engine& here, const Clock& clock) {
  return std::unique_ptr<Engine>(std::make_unique<RemoteEngine>(
      here, clock, [](const std::filesystem::path& authorities) { return made({.authorities = authorities}); }));
}

Result<std::unique_ptr<Dialer>> TlsDoor::dialer(AllowsNumber allows) {
  return made({.authorities = {}, .allows = std::move(allows)});
}

}  // namespace townpost
