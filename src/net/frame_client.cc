#include "net/frame_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/seclusion.h"
#include "base/text.h"
#include "net/socket_file.h"

namespace townpost {

namespace {

constexpr Millis kBreath{1};

Failure late() { return fail(Code::timeout, "the server did not answer in time"); }

Failure gone(int error = 0) {
  return fail(Code::refused, error == 0 || error == EPIPE || error == ECONNRESET
                                 ? "the server closed the connection"
                                 : cat("the connection to the server broke: ", std::strerror(error)));
}

/// 0, or what connect(2) says against it.
int connect_to(int fd, const sockaddr_un& address, const Deadline& deadline) {
  while (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const bool is_crowded = errno == EAGAIN;  // many wait to be taken in; nothing tells when there is room
    if (!is_crowded && errno != EINTR) return errno;
    if (deadline.left_ms() == 0 || deadline.is_called_off()) return ETIMEDOUT;
    if (is_crowded) std::this_thread::sleep_for(kBreath);
  }
  return 0;
}

}  // namespace

Result<std::optional<FrameClient>> FrameClient::connect(const std::filesystem::path& path, const Deadline& deadline) {
  reach_outside("a server is asked");
  const auto address = socket_address(path);
  if (!address) return std::nullopt;  // nobody can listen there
  FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail(Code::unavailable, cat("no socket can be made: ", std::strerror(errno)));
  switch (const int error = connect_to(fd.get(), *address, deadline); error) {
    case 0:
      break;
    case ENOENT:
    case ENOTDIR:
    case ECONNREFUSED:
      return std::nullopt;
    case ETIMEDOUT:
      return late();
    case EACCES:
    case EPERM:
      return fail(Code::forbidden, cat("the server at ", for_terminal_line(path.string()), " may not be asked"));
    default:
      return fail(Code::unavailable,
                  cat("cannot reach the server at ", for_terminal_line(path.string()), ": ", std::strerror(error)));
  }
  // Whoever can make a file in the folder could listen in the server's place.
  const auto server = peer_of(fd.get());
  if (!server || server->uid != ::geteuid())
    return fail(Code::forbidden, cat("another user listens at ", for_terminal_line(path.string())));
  return FrameClient(std::move(fd));
}

Result<> FrameClient::send(std::string_view frame, const Deadline& deadline) {
  if (frame.empty() || frame.size() > kLongestFrame)
    return fail(Code::usage, cat("what is sent has 1 byte at least and ", kLongestFrame >> 20, " MiB at most"));
  auto head = frame_head(frame.size());
  std::array<iovec, 2> parts = {iovec{head.data(), head.size()},
                                iovec{const_cast<char*>(frame.data()), frame.size()}};  // sendmsg only reads it
  std::size_t left = head.size() + frame.size();
  while (true) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const auto sent = ::sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return gone(errno);
    auto done = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    left -= done;
    if (left == 0) return {};
    for (auto& part : parts) {
      const auto of_it = std::min(done, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + of_it;
      part.iov_len -= of_it;
      done -= of_it;
    }
    if (deadline.is_called_off() || !wait_for(fd(), POLLOUT, deadline)) return late();
  }
}

Result<std::string> FrameClient::receive(const Deadline& deadline) {
  while (true) {
    TRY(frame, reader_.next());
    if (frame) return std::move(*frame);
    // An answer is never there at once, so to look before would only cost a call.
    if (deadline.is_called_off() || !wait_for(fd(), POLLIN, deadline)) return late();
    TRY_VOID(take_in());
  }
}

Result<std::optional<std::string>> FrameClient::receive_now() {
  while (true) {
    TRY(frame, reader_.next());
    if (frame) return std::move(frame);
    TRY(came, take_in());
    if (!came) return std::nullopt;
  }
}

Result<FileDescriptor> FrameClient::receive_descriptor(const Deadline& deadline) {
  while (true) {
    if (deadline.is_called_off() || !wait_for(fd(), POLLIN, deadline)) return late();
    std::array<char, 4096> piece{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    iovec part{piece.data(), piece.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const auto got = ::recvmsg(fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return gone(got < 0 ? errno : 0);
    const auto* along = CMSG_FIRSTHDR(&message);
    if (!along || along->cmsg_type != SCM_RIGHTS || along->cmsg_len != CMSG_LEN(sizeof(int)))
      return fail(Code::refused, "nothing came with the server's answer");
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(along), sizeof descriptor);
    return FileDescriptor(descriptor);
  }
}

void FrameClient::hear_no_more() { ::shutdown(fd(), SHUT_RD); }

Result<bool> FrameClient::take_in() {
  std::array<char, 64u << 10> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): it is filled
  const auto got = ::recv(fd(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got == 0) return gone();
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return false;
    return gone(errno);
  }
  reader_.feed({piece.data(), static_cast<std::size_t>(got)});
  return true;
}

}  // namespace townpost
