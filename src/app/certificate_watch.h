#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files.h"
#include "net/tls_identity.h"

namespace townpost {

/// Has a server read its certificate and key again when they are replaced, also where they are links. A thread of its
/// own sleeps until something is written beside them, and looks once a minute at what no folder tells.
class CertificateWatch {
 public:
  /// `read_again` is called from that thread, `say` with what came of it: a line for the log.
  CertificateWatch(TlsFiles files, std::function<Result<>()> read_again, std::function<void(std::string_view)> say);
  ~CertificateWatch();
  CertificateWatch(const CertificateWatch&) = delete;
  CertificateWatch& operator=(const CertificateWatch&) = delete;

 private:
  void watch();
  /// What both files look like now.
  std::string look() const;

  const TlsFiles files_;
  const std::function<Result<>()> read_again_;
  const std::function<void(std::string_view)> say_;
  const FileDescriptor end_;
  std::thread thread_;
};

}  // namespace townpost
