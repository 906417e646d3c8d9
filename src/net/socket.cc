#include "net/socket.h"

#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <cerrno>

#include "base/seclusion.h"
#include "base/text.h"
#include "net/connection.h"
#include "net/host_lookup.h"

namespace townpost {

namespace asio = boost::asio;
using boost::system::error_code;

Result<std::unique_ptr<Socket>> Socket::connect(const Url& url, const Deadline& deadline, const AllowsNumber& allows) {
  reach_outside("a connection is made");
  TRY(numbers, numbers_of_host(url.host, deadline));
  if (allows) std::erase_if(numbers, [&](const std::string& number) { return !allows(number); });
  if (numbers.empty())
    return fail(Code::unavailable,
                cat(url.origin(), " is on this machine or in a private network, which is not allowed"));
  std::unique_ptr<Socket> made(new Socket(url));
  error_code error = asio::error::host_not_found;
  for (const auto& number : numbers) {
    error_code unreadable;
    const auto address = asio::ip::make_address(number, unreadable);
    if (unreadable) continue;
    error = made->connect_to({address, url.port}, deadline);
    if (!error) return made;
    if (deadline.is_called_off()) break;
  }
  if (deadline.is_called_off() || error == asio::error::timed_out)
    return fail(Code::unavailable, no_answer(url, deadline).message,
                deadline.is_called_off() ? "" : "is its machine up?");
  return fail(Code::unavailable, cat("cannot reach ", url.origin(), ": ", error.message()),
              error == asio::error::connection_refused ? "is the server running?" : "");
}

error_code Socket::connect_to(const asio::ip::tcp::endpoint& place, const Deadline& deadline) {
  error_code error;
  tcp_.close(error);
  // Asio's own open() would let programs that are started meanwhile inherit it.
  const int fd = ::socket(place.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return {errno, boost::system::system_category()};
  if (tcp_.assign(place.protocol(), fd, error); error) return error;
  const auto ended = run(deadline, [&](auto handler) {
    tcp_.async_connect(place, [handler](const error_code& result) mutable { handler(result); });
  });
  if (ended.error) return ended.error;
  fd_ = fd;
  tcp_.non_blocking(true, error);
  error_code ignored;
  tcp_.set_option(asio::ip::tcp::no_delay(true),
                  ignored);  // a request leaves as one piece: waiting could only delay it
  return error;
}

Error Socket::broken(const error_code& error, const Deadline& deadline) const {
  if (error == asio::error::timed_out || error == asio::error::operation_aborted) return no_answer(url_, deadline);
  const bool closed = !error || error == asio::error::eof || error == asio::error::broken_pipe ||
                      error == asio::error::connection_reset;
  return {Code::refused,
          closed ? cat(url_.origin(), " closed the connection")
                 : cat("the connection to ", url_.origin(), " broke: ", error.message()),
          "", std::nullopt};
}

}  // namespace townpost
