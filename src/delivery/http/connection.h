#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "delivery/http/url.h"

namespace townpost {

/// The end of a wait: a point on the clock that nobody can turn, and how long it was, for messages.
struct Deadline {
  static Deadline in(Millis wait);
  /// This one, or the end of a `shorter` wait from now if that is earlier.
  Deadline or_in(Millis shorter) const;
  /// What is left for poll(): 0 once it has passed.
  int left_ms() const;

  std::chrono::steady_clock::time_point at;
  Millis wait{0};
};

/// Waits until `fd` is ready for `events` (POLLIN, POLLOUT). False at the deadline.
bool wait_for(int fd, short events, const Deadline& deadline);

/// "no answer from http://127.0.0.1:4096 within 2 s"
Error no_answer(const Url& url, const Deadline& deadline);

/// One TCP connection to a server. No call outlasts its deadline. Closed at the end.
class Connection {
 public:
  /// Error: unavailable, whatever the reason: nothing was sent yet.
  static Result<Connection> open(const Url& url, const Deadline& deadline);

  /// Sends all of it. Error: timeout, or refused if the server has closed the connection.
  Result<> send(std::string_view bytes, const Deadline& deadline);
  /// Appends what is there, at least one byte unless the server has closed (then false). Error: timeout or refused.
  Result<bool> receive(std::string& into, const Deadline& deadline);
  /// The same without waiting: nothing there is true, too.
  Result<bool> receive_now(std::string& into);

  int fd() const { return fd_.get(); }
  const Url& url() const { return url_; }
  /// Whether the server has closed it, or said something unasked, since the last answer.
  bool is_stale() const;

 private:
  Connection(FileDescriptor fd, Url url) : fd_(std::move(fd)), url_(std::move(url)) {}
  Error broken(int error_number) const;

  FileDescriptor fd_;
  Url url_;
};

}  // namespace townpost
