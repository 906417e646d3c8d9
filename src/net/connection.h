#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "base/result.h"
#include "net/host_lookup.h"
#include "net/url.h"

namespace townpost {

/// One connection to a server. No call outlasts its deadline, or the moment it is called off; after an error the
/// connection is of no use. Closed at the end. For one thread at a time.
class Connection {
 public:
  virtual ~Connection() = default;

  /// Sends all of it. Error: timeout, or refused if the server has closed the connection.
  virtual Result<> send(std::string_view bytes, const Deadline& deadline) = 0;
  /// Appends what is there, at least one byte unless the server has closed (then false). Error: timeout or refused.
  virtual Result<bool> receive(std::string& into, const Deadline& deadline) = 0;
  /// The same without waiting: nothing there is true, too. What is there is taken in pieces: call it until there is
  /// nothing, and then again once fd() is readable.
  virtual Result<bool> receive_now(std::string& into) = 0;

  virtual int fd() const = 0;
  virtual const Url& url() const = 0;
  /// Whether the server has closed it, or said something unasked, since the last answer.
  bool is_stale() const;
};

/// How connections are made. Any number of threads may use one.
class Dialer {
 public:
  virtual ~Dialer() = default;
  /// Error: usage for a scheme it does not speak; else unavailable, whatever the reason: nothing was sent yet.
  virtual Result<std::unique_ptr<Connection>> dial(const Url& url, const Deadline& deadline) const = 0;
};

/// Speaks http only. TLS is in net/tls_dialer.h, for programs that link it.
const Dialer& plain_dialer();
/// The same, to machines of these numbers only: what a name leads to is looked at where the connection is made, so that
/// it cannot lead elsewhere a moment later.
std::unique_ptr<Dialer> plain_dialer_to(AllowsNumber allows);

/// "no answer from http://127.0.0.1:4096 within 2 s", or that it was called off: timeout.
Error no_answer(const Url& url, const Deadline& deadline);

}  // namespace townpost
