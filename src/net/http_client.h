#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/connection.h"

namespace townpost {

struct HttpCall {
  enum class Until { whole, head };  ///< head: the rest of the answer is not waited for
  std::string method = "GET";
  std::string url;  ///< user and password in it become an Authorization header
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  Millis timeout = std::chrono::seconds(10);         ///< for all of it
  Millis connect_timeout = std::chrono::seconds(2);  ///< for the way there
  Until until = Until::whole;
  std::stop_token stop;  ///< whoever may call it off
};

struct HttpAnswer {
  int status = 0;
  std::string content_type;  ///< lower case, without parameters
  std::string body;          ///< at most 8 MiB

  bool is_good() const { return status >= 200 && status < 300; }
};

/// Asks HTTP/1.1 servers, one question at a time, and keeps the last connection open for the next. Never hangs: every
/// call ends by its deadline, or when it is called off. For one thread at a time. Errors name the server but never a
/// password:
///   usage, unavailable   nothing was sent
///   timeout, refused     sent, but there was no answer, or none that can be read: what became of it is not known
class HttpClient {
 public:
  HttpClient() = default;
  /// Asks over the connections that `dialer` makes; it must outlive this.
  explicit HttpClient(const Dialer& dialer) : dialer_(&dialer) {}

  Result<HttpAnswer> exchange(const HttpCall& call);

 private:
  Result<> reach(const HttpCall& call, const Url& url, const Deadline& deadline);
  Result<HttpAnswer> ask(const HttpCall& call, const std::string& request, const Deadline& deadline);

  const Dialer* dialer_ = &plain_dialer();
  std::unique_ptr<Connection> kept_;
};

/// The bytes of a request. Error: usage, if the method or a header could not be sent as it stands.
Result<std::string> http_request(const HttpCall& call, const Url& url);

}  // namespace townpost
