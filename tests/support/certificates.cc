#include "support/certificates.h"

#include "base/check.h"
#include "base/process.h"

namespace townpost {

TestCertificate make_certificate(const std::filesystem::path& folder, const std::string& name,
                                 const std::string& called) {
  TestCertificate out{folder / (name + ".pem"), folder / (name + ".key")};
  const auto made = SystemProcesses().run(
      {.command = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-days", "2", "-subj", "/CN=townpost test", "-addext", "subjectAltName=" + called, "-keyout",
                   out.key.string(), "-out", out.certificate.string()},
       .timeout = std::chrono::minutes(1)});
  CHECK(made && made->exit_code == 0);
  return out;
}

}  // namespace townpost
