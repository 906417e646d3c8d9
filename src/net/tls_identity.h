#pragma once
#include <filesystem>
#include <memory>

#include "base/result.h"
#include "net/transport.h"

namespace townpost {

/// Where a server's certificate and its key lie, both in PEM.
struct TlsFiles {
  std::filesystem::path certificate;  ///< with those that vouch for it behind it
  std::filesystem::path key;
};

/// Who a server is, to clients that speak TLS 1.2 or newer. Never changes; any thread may use it.
class TlsIdentity {
 public:
  /// Error: usage, naming the file that cannot be used and why.
  static Result<std::shared_ptr<const TlsIdentity>> load(const TlsFiles& files);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  /// Nothing if there is no memory for it.
  std::unique_ptr<Transport> transport(int fd) const;

 private:
  struct Context;
  explicit TlsIdentity(std::unique_ptr<Context> context);
  std::unique_ptr<Context> context_;
};

}  // namespace townpost
