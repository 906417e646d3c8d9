#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancellation.h"

namespace townpost {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// What a client asks, as it was sent: percent escapes are still there.
struct HttpRequest {
  std::string method;   ///< "GET"; any word
  std::string path;     ///< begins with /, or is * of OPTIONS
  std::string query;    ///< behind the ?
  HttpHeaders headers;  ///< in their order; names in lower case, values without space around them
  std::string body;
  std::string peer;     ///< the number of the client's machine: "127.0.0.1"
  bool secure = false;  ///< over TLS

  /// The first header of that name (lower case); empty if there is none.
  std::string_view header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

/// An answer. Length, Date, Connection and Transfer-Encoding are the server's to say, whatever stands in `headers`; a
/// header whose name is none is left out, and control characters in a value become spaces.
struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;
};

/// An open answer, such as a stream of events. Any thread may use it; it ends when it is dropped, at the latest.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  /// False once the client has gone, or has left more than Limits::stream_buffer unread: then it is dropped.
  virtual bool write(std::string bytes) = 0;
  /// How many bytes the client has not taken yet.
  virtual std::size_t unsent() = 0;
  /// Sends what was written, then ends.
  virtual void close() = 0;
  /// Called once, in the loop's thread, when nothing can be written any more, however that came about.
  virtual void on_close(std::function<void()> told) = 0;
};

/// One request and its answer. Any thread may use it; it outlives the server if need be. Dropped without an answer, it
/// answers 500.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  /// Once: whatever follows the first answer() or stream() is passed over.
  virtual void answer(HttpResponse response) = 0;
  /// Answers with `head` (and its body as the first of the stream), and goes on.
  virtual std::shared_ptr<HttpStream> stream(HttpResponse head) = 0;
  /// Cancelled when the client goes away before it is answered. A client that closes only its own direction counts as
  /// gone, too, because nobody can tell; it is answered all the same.
  virtual std::shared_ptr<const Cancellation> cancellation() = 0;
};

/// What a server is for.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// In the loop's thread: must not block. What it throws is told to the loop, and the client gets 500.
  virtual void handle(std::shared_ptr<HttpExchange> exchange) = 0;
  /// The answer where the server itself must give one: 400 malformed, 408 too slow, 413 body and 431 head too large,
  /// 417, 429 too many at once, 500 nobody answered, 501, 503 too many connections, 505. Must not throw.
  virtual HttpResponse refusal(int status, std::string_view why) = 0;
};

}  // namespace townpost
