#pragma once
#include <filesystem>
#include <memory>

#include "net/connection.h"

namespace townpost {

/// Speaks http, and https over TLS 1.2 or newer. The server's certificate must be good, of an authority that is trusted
/// and made out to the very host that was asked; there is no way around that. A program that uses this links OpenSSL,
/// which `gt` does not (docs/decisions/0016).
class TlsDialer final : public Dialer {
 public:
  struct Trust {
    std::filesystem::path authorities;  ///< a file of certificates (PEM) to trust; empty: those of the system
    AllowsNumber allows = {};           ///< the machines that may be reached
  };
  /// Error: unavailable, if the authorities cannot be read.
  static Result<TlsDialer> make(const Trust& trust);
  ~TlsDialer() override;
  TlsDialer(TlsDialer&&) noexcept;
  TlsDialer& operator=(TlsDialer&&) = delete;
  TlsDialer(const TlsDialer&) = delete;
  TlsDialer& operator=(const TlsDialer&) = delete;

  Result<std::unique_ptr<Connection>> dial(const Url& url, const Deadline& deadline) const override;

 private:
  struct Settings;
  explicit TlsDialer(std::unique_ptr<Settings> settings);
  std::unique_ptr<Settings> settings_;
};

}  // namespace townpost
