#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "net/host_lookup.h"
#include "net/url.h"

namespace townpost {

/// Waits for one operation of Asio at a time, at most until a deadline.
class AsioLoop {
 public:
  struct Ended {
    boost::system::error_code error;  ///< timed_out at the deadline, operation_aborted if it was called off
    std::size_t bytes = 0;
  };

  boost::asio::io_context& context() { return context_; }

  /// begin(handler) starts the operation, which ends with handler(error, bytes); give_up() makes it end.
  template <class Begin, class GiveUp>
  Ended run(const Deadline& deadline, Begin begin, GiveUp give_up) {
    Ended ended;
    bool over = false;
    begin([&](const boost::system::error_code& error, std::size_t bytes = 0) {
      ended = {error, bytes};
      over = true;
    });
    context_.restart();
    {
      const std::stop_callback on_stop(deadline.stop, [this] { context_.stop(); });
      context_.run_until(deadline.at);
    }
    if (over) return ended;
    give_up();
    context_.restart();
    context_.run();
    // It may have ended by itself meanwhile; then that counts. What it was doing at that very moment misses the socket.
    using namespace boost::asio::error;  // NOLINT(google-build-using-namespace)
    if (ended.error == operation_aborted || ended.error == bad_descriptor)
      ended.error = deadline.is_called_off() ? boost::system::error_code(operation_aborted) : timed_out;
    return ended;
  }

 private:
  boost::asio::io_context context_{1};  // one thread runs it; stop() is called from others
};

/// A connected TCP socket with its loop.
class Socket {
 public:
  /// Error: unavailable.
  static Result<std::unique_ptr<Socket>> connect(const Url& url, const Deadline& deadline,
                                                 const AllowsNumber& allows = {});

  template <class Begin>
  AsioLoop::Ended run(const Deadline& deadline, Begin begin) {
    return loop_.run(deadline, begin, [this] {
      boost::system::error_code ignored;
      tcp_.close(ignored);  // what was half done cannot be continued
    });
  }

  boost::asio::ip::tcp::socket& tcp() { return tcp_; }
  const Url& url() const { return url_; }
  int fd() const { return fd_; }
  /// What an operation that did not succeed means to whoever asked.
  Error broken(const boost::system::error_code& error, const Deadline& deadline) const;

 private:
  explicit Socket(Url url) : url_(std::move(url)), tcp_(loop_.context()) {}
  boost::system::error_code connect_to(const boost::asio::ip::tcp::endpoint& place, const Deadline& deadline);

  Url url_;
  AsioLoop loop_;
  boost::asio::ip::tcp::socket tcp_;
  int fd_ = -1;
};

/// Makes room for one piece behind `into`, lets `read(data, size)` fill it, and keeps what came.
template <class Read>
std::size_t read_piece(std::string& into, Read read) {
  constexpr std::size_t kPiece = 64u << 10;
  const auto before = into.size();
  into.resize(before + kPiece);
  const std::size_t got = read(into.data() + before, kPiece);
  into.resize(before + got);
  return got;
}

}  // namespace townpost
