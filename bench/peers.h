#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "bench/companion.h"
#include "bench/connections.h"
#include "bench/workshop.h"

namespace townpost::bench {

/// The text of every message that is sent in these rows.
extern const std::string kSubjectOfLoad, kBodyOfLoad;

/// The server of a town, which is ours: `gt serve`. It ends with this object.
class OurServer {
 public:
  /// Of the town in `folder`, which was made by `gt init`.
  OurServer(const Workshop& workshop, const std::filesystem::path& folder, const std::string& more_settings = "");
  std::uint16_t port() const { return port_; }
  /// Of a person, for a header.
  const std::string& token() const { return token_; }
  /// Sends over HTTP to this address.
  Language sends(const std::string& to) const;

 private:
  TemporaryFolder logs_ = own_folder();
  std::filesystem::path folder_;
  Companion server_;
  std::uint16_t port_;
  std::string token_;
};

/// A Redis that syncs every write before it answers. Its files are in `folder`.
class RedisServer {
 public:
  explicit RedisServer(const std::filesystem::path& folder);
  std::uint16_t port() const { return port_; }
  /// A message to a stream, and three indexes of it, in one transaction.
  static Language sends();

 private:
  std::uint16_t port_;
  Companion server_;
};

/// A NATS with JetStream whose files are written with synchronous writes: it has no setting for that, so the folder
/// has the attribute S.
class NatsServer {
 public:
  explicit NatsServer(const std::filesystem::path& folder);
  std::uint16_t port() const { return port_; }
  static Language sends();

 private:
  std::uint16_t port_;
  Companion server_;
};

}  // namespace townpost::bench
