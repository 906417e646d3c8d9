#include "net/transport.h"

#include <sys/socket.h>

#include <cerrno>

namespace townpost {

namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}

  Next shake_hands() override { return Next::on; }

  Moved read(std::span<char> into) override {
    const auto got = ::recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
    if (got == 0) return {Next::ended};
    return moved(got, Next::when_readable);
  }

  Moved write(std::string_view bytes) override {
    return moved(::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL), Next::when_writable);
  }

  void say_goodbye() override { ::shutdown(fd_, SHUT_WR); }

 private:
  static Moved moved(ssize_t bytes, Next otherwise) {
    if (bytes >= 0) return {Next::on, static_cast<std::size_t>(bytes)};
    if (errno == EINTR) return {Next::on, 0};
    return {errno == EAGAIN || errno == EWOULDBLOCK ? otherwise : Next::broken};
  }

  int fd_;
};

}  // namespace

std::unique_ptr<Transport> plain_transport(int fd) { return std::make_unique<PlainTransport>(fd); }

}  // namespace townpost
