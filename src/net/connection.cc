#include "net/connection.h"

#include <poll.h>

#include <boost/asio/write.hpp>
#include <utility>

#include "base/text.h"
#include "net/socket.h"

namespace townpost {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

std::string in_words(Millis wait) {
  const auto ms = wait.count();
  return ms >= 1000 && ms % 1000 == 0 ? cat(ms / 1000, " s") : cat(ms, " ms");
}

class PlainConnection final : public Connection {
 public:
  explicit PlainConnection(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}

  Result<> send(std::string_view bytes, const Deadline& deadline) override {
    const auto ended = socket_->run(deadline, [&](auto handler) {
      asio::async_write(socket_->tcp(), asio::buffer(bytes.data(), bytes.size()), handler);
    });
    if (ended.error) return fail(socket_->broken(ended.error, deadline));
    return {};
  }

  Result<bool> receive(std::string& into, const Deadline& deadline) override {
    AsioLoop::Ended ended;
    read_piece(into, [&](char* data, std::size_t size) {
      ended = socket_->run(deadline,
                           [&](auto handler) { socket_->tcp().async_read_some(asio::buffer(data, size), handler); });
      return ended.bytes;
    });
    return told(ended.error, deadline);
  }

  Result<bool> receive_now(std::string& into) override {
    error_code error;
    read_piece(into,
               [&](char* data, std::size_t size) { return socket_->tcp().read_some(asio::buffer(data, size), error); });
    if (error == asio::error::would_block) return true;
    return told(error, Deadline{});
  }

  int fd() const override { return socket_->fd(); }
  const Url& url() const override { return socket_->url(); }

 private:
  /// Whether the server may say more.
  Result<bool> told(const error_code& error, const Deadline& deadline) const {
    if (error == asio::error::eof) return false;
    if (error) return fail(socket_->broken(error, deadline));
    return true;
  }

  std::unique_ptr<Socket> socket_;
};

class PlainDialer final : public Dialer {
 public:
  explicit PlainDialer(AllowsNumber allows = {}) : allows_(std::move(allows)) {}
  Result<std::unique_ptr<Connection>> dial(const Url& url, const Deadline& deadline) const override {
    if (url.scheme != Url::Scheme::http)
      return fail(Code::usage, cat("no TLS is spoken here, so ", url.origin(), " cannot be asked"));
    TRY(socket, Socket::connect(url, deadline, allows_));
    return std::make_unique<PlainConnection>(std::move(socket));
  }

 private:
  const AllowsNumber allows_;
};

}  // namespace

bool Connection::is_stale() const { return wait_for(fd(), POLLIN, Deadline{}); }

const Dialer& plain_dialer() {
  static const PlainDialer one;
  return one;
}

std::unique_ptr<Dialer> plain_dialer_to(AllowsNumber allows) {
  return std::make_unique<PlainDialer>(std::move(allows));
}

Error no_answer(const Url& url, const Deadline& deadline) {
  if (deadline.is_called_off())
    return {Code::timeout, cat("called off before ", url.origin(), " answered"), "", std::nullopt};
  return {Code::timeout, cat("no answer from ", url.origin(), " within ", in_words(deadline.wait)), "", std::nullopt};
}

}  // namespace townpost
