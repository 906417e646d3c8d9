#pragma once
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/result.h"

namespace townpost {

/// The longest path that a unix socket can have, in bytes.
inline constexpr std::size_t kLongestSocketPath = sizeof(sockaddr_un::sun_path) - 1;

/// Who is at the other end of a unix socket, as the kernel saw it when the connection was made.
struct Peer {
  int pid = 0;
  unsigned uid = 0;
  unsigned gid = 0;
  friend bool operator==(const Peer&, const Peer&) = default;
};
std::optional<Peer> peer_of(int fd);

/// The path as the system takes it; nothing if it is too long.
std::optional<sockaddr_un> socket_address(const std::filesystem::path& path);

/// A unix socket that listens under a name, for this user only (0600). What another left behind is replaced; at the end
/// the name is taken away, if it still names this one.
class SocketFile {
 public:
  /// The folder must be ours. Error: usage, if the path is too long; forbidden; refused, if somebody listens there or
  /// the name is of something else; unavailable.
  static Result<SocketFile> listen(const std::filesystem::path& path, int backlog);
  ~SocketFile();
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

  /// The socket, once; the name stays with this.
  FileDescriptor take_socket() { return std::move(socket_); }

 private:
  SocketFile(std::filesystem::path path, FileDescriptor socket, dev_t device, ino_t number)
      : path_(std::move(path)), socket_(std::move(socket)), device_(device), number_(number) {}

  std::filesystem::path path_;  ///< empty: moved away
  FileDescriptor socket_;
  dev_t device_;
  ino_t number_;
};

}  // namespace townpost
