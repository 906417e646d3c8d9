#include "net/socket_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/private_files.h"
#include "base/seclusion.h"
#include "base/text.h"

namespace townpost {

namespace {

namespace fs = std::filesystem;

constexpr int kFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

/// While it lives, no other process of ours makes or removes a socket in that folder: else two that find the same one
/// left behind could each remove what the other has just made.
FileDescriptor lock_folder(const fs::path& folder) {
  auto fd = open_private_folder(folder, O_RDONLY);
  if (!fd) return fd;
  while (::flock(fd.get(), LOCK_EX) != 0)
    if (errno != EINTR) return FileDescriptor();
  return fd;
}

enum class Found { nobody, somebody, no_socket };

Found who_is_at(const fs::path& path, const sockaddr_un& address) {
  struct stat is {};
  if (::lstat(path.c_str(), &is) != 0) return Found::nobody;
  if (!S_ISSOCK(is.st_mode)) return Found::no_socket;
  const FileDescriptor probe(::socket(AF_UNIX, kFlags, 0));
  const bool answers = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return answers || errno != ECONNREFUSED ? Found::somebody : Found::nobody;
}

}  // namespace

std::optional<Peer> peer_of(int fd) {
  ucred said{};
  socklen_t size = sizeof said;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &said, &size) != 0) return std::nullopt;
  return Peer{.pid = said.pid, .uid = said.uid, .gid = said.gid};
}

std::optional<sockaddr_un> socket_address(const fs::path& path) {
  const auto& text = path.native();
  if (text.empty() || text.size() > kLongestSocketPath) return std::nullopt;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, text.c_str(), text.size());
  return address;
}

Result<SocketFile> SocketFile::listen(const fs::path& path, int backlog) {
  reach_outside("a socket is made");
  const auto address = socket_address(path);
  if (!address)
    return fail(Code::usage,
                cat("the path of a socket has at most ", kLongestSocketPath, " bytes, and ",
                    in_quotes(path.native(), 200), " has ", path.native().size()),
                "choose a shorter folder");
  const auto folder = folder_holding(path);
  const auto lock = lock_folder(folder);
  if (!lock) return fail(file_error("use", folder, errno));
  struct stat owned {};
  if (::fstat(lock.get(), &owned) != 0) return fail(file_error("use", folder, errno));
  if (owned.st_uid != ::geteuid())
    return fail(Code::forbidden, cat("the folder ", for_terminal_line(folder.string()), " belongs to another user"));
  switch (who_is_at(path, *address)) {
    case Found::no_socket:
      return fail(Code::refused, cat(for_terminal_line(path.string()), " is in the way: it is not a socket"),
                  "move it away");
    case Found::somebody:
      return fail(Code::refused, cat("somebody listens on ", for_terminal_line(path.string()), " already"));
    case Found::nobody:
      ::unlink(path.c_str());
  }
  FileDescriptor socket(::socket(AF_UNIX, kFlags, 0));
  // Linux gives the new file the socket's mode, so there is no moment at which others may connect.
  if (!socket || ::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return fail(file_error("make the socket", path, errno));
  struct stat made {};
  if (::lstat(path.c_str(), &made) != 0 || ::listen(socket.get(), backlog) != 0)
    return fail(file_error("listen on", path, errno));
  return SocketFile(path, std::move(socket), made.st_dev, made.st_ino);
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      socket_(std::move(other.socket_)),
      device_(other.device_),
      number_(other.number_) {}

SocketFile::~SocketFile() {
  if (path_.empty()) return;
  const auto lock = lock_folder(folder_holding(path_));
  struct stat is {};
  if (::lstat(path_.c_str(), &is) == 0 && is.st_dev == device_ && is.st_ino == number_) ::unlink(path_.c_str());
}

}  // namespace townpost
