#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"

namespace townpost {

/// A request as it reached the server.
struct Asked {
  std::string method;
  std::string target;
  std::string head;  ///< all of it, lines ended by CR LF
  std::string body;
};

/// One connection, as the server sees it.
class Wire {
 public:
  explicit Wire(int fd) : fd_(fd) {}
  void send(std::string_view bytes) const { (void)reaches(bytes); }
  /// Sends it. False once the client has hung up.
  bool reaches(std::string_view bytes) const;
  void close() const;
  /// Says nothing until the client has hung up, or the server stops.
  void wait_until_hung_up() const;

 private:
  int fd_;
};

/// A real HTTP server on loopback, one thread a connection, for tests. `answer` is called for each request, from those
/// threads.
class LittleServer {
 public:
  using Answer = std::function<void(const Asked&, const Wire&)>;
  explicit LittleServer(Answer answer);
  ~LittleServer();
  LittleServer(const LittleServer&) = delete;
  LittleServer& operator=(const LittleServer&) = delete;

  std::string url(std::string_view path = "") const;
  std::string port() const { return port_; }
  std::vector<Asked> asked() const;
  std::size_t connections() const;

 private:
  void accept_all();
  void serve(int fd);

  Answer answer_;
  std::string port_;  // before the listener, which is bound to it
  FileDescriptor listener_;
  mutable std::mutex mutex_;
  std::vector<Asked> asked_;
  std::vector<FileDescriptor> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// A whole answer with a length.
std::string http_answer(int status, std::string_view body, std::string_view type = "application/json",
                        std::string_view more_headers = "");

/// Listens on a free port of loopback (its number in `port`), and no more than that.
FileDescriptor listening_socket(std::string& port);

/// A port of loopback where nobody listens.
std::string unused_port();

}  // namespace townpost
