#include "delivery/http/connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/text.h"

namespace townpost {

namespace {

using Timer = std::chrono::steady_clock;

std::string in_words(Millis wait) {
  const auto ms = wait.count();
  return ms >= 1000 && ms % 1000 == 0 ? cat(ms / 1000, " s") : cat(ms, " ms");
}

/// One place that a name stands for.
struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
};

Endpoint v4(in_addr address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr = address;
  Endpoint endpoint{.size = sizeof place};
  std::memcpy(&endpoint.address, &place, sizeof place);
  return endpoint;
}

Endpoint v6(const in6_addr& address, std::uint16_t port) {
  sockaddr_in6 place{};
  place.sin6_family = AF_INET6;
  place.sin6_port = htons(port);
  place.sin6_addr = address;
  Endpoint endpoint{.size = sizeof place};
  std::memcpy(&endpoint.address, &place, sizeof place);
  return endpoint;
}

/// A lookup in the background. It may outlive the call that began it: the system's own cannot be stopped.
struct Lookup {
  std::string host;
  std::uint16_t port = 0;
  FileDescriptor done{eventfd(0, EFD_CLOEXEC)};  ///< readable when the rest is there
  std::mutex mutex;
  int error = 0;
  std::vector<Endpoint> found;
};

void run(Lookup& lookup) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(lookup.host.c_str(), cat(lookup.port).c_str(), &wanted, &list);
  {
    const std::lock_guard lock(lookup.mutex);
    lookup.error = error;
    for (const auto* at = list; at != nullptr; at = at->ai_next) {
      Endpoint endpoint{.size = at->ai_addrlen};
      std::memcpy(&endpoint.address, at->ai_addr, at->ai_addrlen);
      lookup.found.push_back(endpoint);
    }
  }
  if (list != nullptr) freeaddrinfo(list);
  eventfd_write(lookup.done.get(), 1);
}

Result<std::vector<Endpoint>> look_up(const Url& url, const Deadline& deadline) {
  auto lookup = std::make_shared<Lookup>();
  lookup->host = url.host;
  lookup->port = url.port;
  std::thread([lookup] { run(*lookup); }).detach();
  if (!wait_for(lookup->done.get(), POLLIN, deadline))
    return fail(Code::unavailable, no_answer(url, deadline).message, "check the address");
  const std::lock_guard lock(lookup->mutex);
  if (lookup->error != 0)
    return fail(Code::unavailable, cat("there is no host ", url.host, ": ", gai_strerror(lookup->error)),
                "check the address");
  return std::move(lookup->found);
}

/// Numbers and localhost need nobody's help; only other names are looked up.
Result<std::vector<Endpoint>> endpoints(const Url& url, const Deadline& deadline) {
  in_addr number4{};
  in6_addr number6{};
  if (url.host == "localhost")
    return std::vector{v4({htonl(INADDR_LOOPBACK)}, url.port), v6(in6addr_loopback, url.port)};
  if (inet_pton(AF_INET, url.host.c_str(), &number4) == 1) return std::vector{v4(number4, url.port)};
  if (inet_pton(AF_INET6, url.host.c_str(), &number6) == 1) return std::vector{v6(number6, url.port)};
  return look_up(url, deadline);
}

/// A connected socket; otherwise none, with errno in `error_number` (ETIMEDOUT at the deadline).
FileDescriptor connect_to(const Endpoint& endpoint, const Deadline& deadline, int& error_number) {
  FileDescriptor fd(socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  error_number = errno;
  if (!fd) return fd;
  error_number = 0;
  const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
  if (connect(fd.get(), address, endpoint.size) != 0) {
    error_number = errno;
    if (error_number == EINPROGRESS) {
      socklen_t size = sizeof error_number;
      if (!wait_for(fd.get(), POLLOUT, deadline))
        error_number = ETIMEDOUT;
      else if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error_number, &size) != 0)
        error_number = errno;
    }
  }
  if (error_number != 0) return FileDescriptor();
  const int on = 1;  // a request leaves as one piece anyway: waiting for more could only delay it
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

Deadline Deadline::in(Millis wait) {
  constexpr Millis kForever = std::chrono::years(1);  // far enough, and cannot overflow the clock
  return {Timer::now() + std::min(wait, kForever), wait};
}

Deadline Deadline::or_in(Millis shorter) const {
  const auto other = in(shorter);
  return other.at < at ? other : *this;
}

int Deadline::left_ms() const {
  const auto left = std::chrono::ceil<Millis>(at - Timer::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

bool wait_for(int fd, short events, const Deadline& deadline) {
  while (true) {
    pollfd watched{.fd = fd, .events = events, .revents = 0};
    const int left = deadline.left_ms();
    if (poll(&watched, 1, left) > 0) return true;
    if (left == 0) return false;
  }
}

Error no_answer(const Url& url, const Deadline& deadline) {
  return {Code::timeout, cat("no answer from ", url.origin(), " within ", in_words(deadline.wait)), "", std::nullopt};
}

Result<Connection> Connection::open(const Url& url, const Deadline& deadline) {
  TRY(places, endpoints(url, deadline));
  int error_number = 0;
  for (const auto& place : places) {
    auto fd = connect_to(place, deadline, error_number);
    if (fd) return Connection(std::move(fd), url);
  }
  if (error_number == ETIMEDOUT) return fail(Code::unavailable, no_answer(url, deadline).message, "is its machine up?");
  return fail(Code::unavailable, cat("cannot reach ", url.origin(), ": ", strerror(error_number)),
              error_number == ECONNREFUSED ? "is the server running?" : "");
}

Error Connection::broken(int error_number) const {
  const bool closed = error_number == 0 || error_number == EPIPE || error_number == ECONNRESET;
  return {Code::refused,
          closed ? cat(url_.origin(), " closed the connection")
                 : cat("the connection to ", url_.origin(), " broke: ", strerror(error_number)),
          "", std::nullopt};
}

Result<> Connection::send(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(fd_.get(), POLLOUT, deadline)) return fail(no_answer(url_, deadline));
    } else if (errno != EINTR) {
      return fail(broken(errno));
    }
  }
  return {};
}

Result<bool> Connection::receive_now(std::string& into) {
  constexpr std::size_t kPiece = 64 << 10;
  const auto before = into.size();
  into.resize(before + kPiece);
  ssize_t got = -1;
  while ((got = recv(fd_.get(), into.data() + before, kPiece, 0)) < 0 && errno == EINTR) {
  }
  const int error_number = errno;
  into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got >= 0) return got > 0;
  if (error_number == EAGAIN || error_number == EWOULDBLOCK) return true;
  return fail(broken(error_number));
}

Result<bool> Connection::receive(std::string& into, const Deadline& deadline) {
  const auto before = into.size();
  while (true) {
    if (!wait_for(fd_.get(), POLLIN, deadline)) return fail(no_answer(url_, deadline));
    TRY(open, receive_now(into));
    if (!open || into.size() > before) return open;
  }
}

bool Connection::is_stale() const { return wait_for(fd_.get(), POLLIN, Deadline{}); }

}  // namespace townpost
