#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "net/event_stream.h"
#include "net/http_server.h"

namespace townpost {

/// A client that says just the bytes it is told to.
class RawClient {
 public:
  enum class Receives { much, little };
  explicit RawClient(std::uint16_t port, Receives receives = Receives::much);
  /// False if the server has hung up.
  bool say(std::string_view bytes) const;
  /// One whole answer with a length, or its head alone (for HEAD, or a stream). What was read of it if it ends early.
  std::string answer();
  std::string head();
  /// Reads until `text` has come, and gives everything up to its end.
  std::string until(std::string_view text);
  /// Everything up to the end of the connection.
  std::string rest();
  bool has_ended() { return rest().empty(); }
  void say_no_more() const;
  int fd() const { return fd_.get(); }

 private:
  bool read_more();
  FileDescriptor fd_;
  std::string unread_;
};

/// Gives every request to a function, and spells its refusals "503 why".
class Clerk : public HttpHandler {
 public:
  using Work = std::function<void(std::shared_ptr<HttpExchange>)>;
  explicit Clerk(Work work) : work_(std::move(work)) {}
  void handle(std::shared_ptr<HttpExchange> exchange) override { work_(std::move(exchange)); }
  HttpResponse refusal(int status, std::string_view why) override;

  /// Answers with method, path, query and body.
  static void echo(const std::shared_ptr<HttpExchange>& exchange);

 private:
  Work work_;
};

/// Exchanges that wait for an answer until the test gives it.
class Pile {
 public:
  void put(std::shared_ptr<HttpExchange> exchange);
  /// Waits for one.
  std::shared_ptr<HttpExchange> take();
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<HttpExchange>> exchanges_;
};

/// A loop and a server on a free port of loopback.
class HttpStage {
 public:
  explicit HttpStage(Clerk::Work work, HttpServer::Limits limits = {}, std::optional<TlsFiles> tls = {});
  HttpServer& server() { return *server_; }
  ServerLoop& loop() { return loop_; }
  RawClient client(RawClient::Receives receives = RawClient::Receives::much) {
    return RawClient(server_->port(), receives);
  }
  std::vector<std::string> troubles() const;
  /// Waits until so many are connected.
  void await_connections(std::size_t count) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> troubles_;
  ServerLoop loop_;
  Clerk clerk_;
  std::unique_ptr<HttpServer> server_;
};

/// How many events come until the server ends the stream.
std::size_t count_to_the_end(EventStream& events);

std::string get(std::string_view path, std::string_view more_headers = "");
int status_of(std::string_view answer);
std::string body_of(std::string_view answer);

}  // namespace townpost
