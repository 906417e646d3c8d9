#include "net/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "net/http_core.h"

namespace townpost {

namespace {

struct Place {
  sockaddr_storage address{};
  socklen_t size = 0;
};

Result<Place> place_of(const HttpServer::Listen& listen) {
  Place place;
  auto& four = reinterpret_cast<sockaddr_in&>(place.address);
  auto& six = reinterpret_cast<sockaddr_in6&>(place.address);
  if (inet_pton(AF_INET, listen.address.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(listen.port);
    place.size = sizeof four;
  } else if (inet_pton(AF_INET6, listen.address.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(listen.port);
    place.size = sizeof six;
  } else {
    return fail(Code::usage, cat(in_quotes(listen.address, 60), " is not an address to listen on"),
                "write it as a number, such as 127.0.0.1");
  }
  return place;
}

Failure cannot_listen(const HttpServer::Listen& listen, int error) {
  const bool is_six = listen.address.find(':') != std::string::npos;
  const auto where = is_six ? cat("[", listen.address, "]:", listen.port) : cat(listen.address, ":", listen.port);
  if (error == EADDRINUSE) return fail(Code::refused, cat("another program listens on ", where), "choose another port");
  return fail(error == EACCES ? Code::forbidden : Code::unavailable,
              cat("cannot listen on ", where, ": ", std::strerror(error)));
}

Result<FileDescriptor> listening_on(const HttpServer::Listen& listen, int backlog) {
  TRY(place, place_of(listen));
  const auto* address = reinterpret_cast<const sockaddr*>(&place.address);
  FileDescriptor fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return cannot_listen(listen, errno);
  // A server that was replaced leaves connections behind that are only waited out.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address, place.size) != 0 || ::listen(fd.get(), backlog) != 0)
    return cannot_listen(listen, errno);
  return fd;
}

std::uint16_t port_of(int fd) {
  Place place;
  place.size = sizeof place.address;
  CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&place.address), &place.size) == 0);
  return ntohs(place.address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(place.address).sin_port
                                                  : reinterpret_cast<sockaddr_in6&>(place.address).sin6_port);
}

/// The address without its port.
std::string text_of(const Place& place) {
  std::array<char, INET6_ADDRSTRLEN> out{};
  const auto* address = place.address.ss_family == AF_INET
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(place.address).sin_addr)
                            : &reinterpret_cast<const sockaddr_in6&>(place.address).sin6_addr;
  inet_ntop(place.address.ss_family, address, out.data(), out.size());
  return out.data();
}

}  // namespace

HttpServer::HttpServer(std::shared_ptr<HttpCore> core, int socket)
    : core_(std::move(core)), socket_(socket), port_(port_of(socket)) {}

bool HttpServer::is_at(int socket, const Listen& listen) {
  const auto wanted = place_of(listen);
  int listens = 0;
  socklen_t size = sizeof listens;
  Place found;
  found.size = sizeof found.address;
  if (!wanted || ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&found.address), &found.size) != 0 ||
      found.address.ss_family != wanted->address.ss_family)
    return false;
  if (listen.port != 0 && listen.port != port_of(socket)) return false;
  return text_of(found) == text_of(*wanted);
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(ServerLoop& loop, const Listen& listen, const Limits& limits,
                                                       HttpHandler& handler) {
  TRY(fd, listening_on(listen, limits.backlog));
  return go_on(loop, std::move(fd), listen, limits, handler);
}

Result<std::unique_ptr<HttpServer>> HttpServer::go_on(ServerLoop& loop, FileDescriptor socket, const Listen& listen,
                                                      const Limits& limits, HttpHandler& handler) {
  auto core = std::make_shared<HttpCore>(loop.core(), limits, handler);
  core->alarm = std::make_shared<LoopAlarm>(core->loop, [weak = std::weak_ptr(core)] {
    if (const auto one = weak.lock()) one->sweep();
  });
  core->tls_files = listen.tls;
  if (listen.tls) {
    TRY(identity, TlsIdentity::load(*listen.tls));
    const MutexLock lock(core->mutex);
    core->identity = identity;
  }
  auto server = std::unique_ptr<HttpServer>(new HttpServer(core, socket.get()));
  core->loop->run_inside([&] {
    core->listener = std::make_shared<Acceptor>(
        core->loop, std::move(socket),
        Acceptor::Asks{.accepted = [&shared = *core](FileDescriptor one) { shared.accepted(std::move(one)); },
                       .make_room = [&shared = *core] { return shared.make_room(); }});
    core->listener->start();
  });
  return server;
}

HttpServer::~HttpServer() { stop(Millis(0)); }

Result<> HttpServer::reload_tls() {
  if (!core_->tls_files) return {};
  TRY(identity, TlsIdentity::load(*core_->tls_files));
  const MutexLock lock(core_->mutex);
  core_->identity = identity;
  return {};
}

void HttpServer::stop(Millis grace, Millis idle) {
  auto& core = *core_;
  CHECK(!core.loop->is_here());
  core.loop->run_inside([&] { core.begin_to_stop(idle); });
  core.connections.await_none(HttpCore::Time::now() + grace);
  core.loop->run_inside([&] { core.end_all(); });
}

HttpServer::Counters HttpServer::counters() const {
  const auto& core = *core_;
  return {.accepted = core.count_accepted,
          .requests = core.count_requests,
          .refused = core.count_refused,
          .bytes_in = core.count_in,
          .bytes_out = core.count_out,
          .connections = core.connections.size(),
          .streams = core.count_streams};
}

}  // namespace townpost
