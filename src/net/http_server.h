#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "net/http_exchange.h"
#include "net/server_loop.h"
#include "net/tls_identity.h"

namespace townpost {

struct HttpCore;

/// Listens for HTTP/1.1, in the clear or over TLS, and hands each request to its handler: one at a time of each
/// connection, so that answers leave in the order of the requests. What a client may use of us is bounded, whatever it
/// does (docs/decisions/0022). A program that uses this links OpenSSL, which `gt` does not. Any thread may use it.
class HttpServer {
 public:
  struct Limits {
    std::size_t head = 16u << 10;
    std::size_t body = 8u << 20;
    std::size_t bodies = 64u << 20;  ///< of all requests together that are being read or answered; over it: 503
    /// Of all answers together that clients have not taken. Over it, whoever has left most of its answer for over a
    /// second makes room; else 503.
    std::size_t answers = 64u << 20;
    std::size_t connections = 1024;  ///< over it, one that was waited for over a second makes room; else 503
    std::size_t in_flight = 64;      ///< requests of one address that are being answered (streams aside); over it: 429
    Millis head_time = std::chrono::seconds(10);  ///< from its first byte, or for the first request of a connection
    Millis body_time = std::chrono::seconds(30);
    Millis idle_time = std::chrono::seconds(60);  ///< between two requests
    Millis send_time = std::chrono::seconds(30);  ///< for a client to take a MiB of an answer, or all that a stream has
    std::size_t stream_buffer = 1u << 20;         ///< what a stream may have unsent
    int backlog = 1024;
  };
  struct Listen {
    std::string address = "127.0.0.1";  ///< a number
    std::uint16_t port = 0;             ///< 0: any that is free
    std::optional<TlsFiles> tls = {};
  };
  struct Counters {
    std::uint64_t accepted = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;  ///< answered by the server itself, or turned away
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t connections = 0;  ///< now
    std::uint64_t streams = 0;      ///< now
  };

  /// Loop and handler must outlive it. Error: usage for an address or certificate that cannot be used; refused, if the
  /// port is taken; forbidden; unavailable.
  static Result<std::unique_ptr<HttpServer>> listen(ServerLoop& loop, const Listen& listen, const Limits& limits,
                                                    HttpHandler& handler);
  /// The same at a socket that listens already: who has connected there and was not taken in yet comes first.
  static Result<std::unique_ptr<HttpServer>> go_on(ServerLoop& loop, FileDescriptor socket, const Listen& listen,
                                                   const Limits& limits, HttpHandler& handler);
  /// Whether it is a socket that listens there; any port is right where `listen` names none.
  static bool is_at(int socket, const Listen& listen);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  /// Ours, for whoever shall listen there after us.
  int socket() const { return socket_; }
  /// Reads certificate and key again, for those who connect from now on. Error: the old ones stay.
  Result<> reload_tls();
  /// Takes in nobody any more, ends what is idle for `idle` and every stream, lets open requests finish for `grace`,
  /// and then ends everything; the handler is not called after that. Returns when that is done. Not to be called in the
  /// loop.
  void stop(Millis grace, Millis idle = Millis(0));
  Counters counters() const;

 private:
  HttpServer(std::shared_ptr<HttpCore> core, int socket);

  std::shared_ptr<HttpCore> core_;
  int socket_;
  std::uint16_t port_;
};

}  // namespace townpost
