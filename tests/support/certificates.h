#pragma once
#include <filesystem>
#include <string>

namespace townpost {

/// A certificate that vouches for itself, and its key.
struct TestCertificate {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// Made for the occasion: NAME.pem and NAME.key in this folder, for a server that is called so.
TestCertificate make_certificate(const std::filesystem::path& folder, const std::string& name,
                                 const std::string& called = "DNS:localhost,IP:127.0.0.1");

}  // namespace townpost
