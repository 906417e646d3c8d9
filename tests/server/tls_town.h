#pragma once
#include "base/files.h"
#include "base/text.h"
#include "server/served_town.h"
#include "support/certificates.h"

namespace townpost {

/// Made before the server that has it.
class WithCertificate {
 protected:
  const TemporaryFolder certificates = TemporaryFolder::make("townpost-tls-").value();
  const TestCertificate made = make_certificate(certificates.path(), "now");
};

/// A town that is served over TLS, and a folder without a town, as it were on another machine.
class TlsTown : private WithCertificate, public ServedTown {
 protected:
  TlsTown()
      : ServedTown("", cat("certificate = \"", made.certificate.string(), "\"\nkey = \"", made.key.string(), "\"\n")) {}

  const std::filesystem::path& certificate() const { return made.certificate; }
  const TestCertificate& made_files() const { return made; }
  /// The variables of a command on the other machine.
  Variables with_token(const std::string& text, const Variables& more = {}) const {
    Variables out = {{"GT_SERVER", url()}, {"GT_CA_FILE", certificate().string()}};
    if (!text.empty()) out["GT_TOKEN"] = text;
    for (const auto& [name, value] : more) out[name] = value;
    return out;
  }

  const TestTown elsewhere{TestTown::Start::empty_folder};
};

}  // namespace townpost
