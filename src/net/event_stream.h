#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/connection.h"
#include "net/event_stream_parser.h"
#include "net/http_client.h"
#include "net/response_reader.h"

namespace townpost {

/// An open stream of server-sent events. read() at once, as the first events may have come with the grant, and then
/// whenever fd() is readable. Closed at the end. For one thread at a time.
class EventStream {
 public:
  /// Asks for the stream and waits, at most call.timeout, until the server grants it. The codes are those of
  /// HttpClient; refused also if the answer is no stream of events.
  static Result<EventStream> open(const HttpCall& call, const Dialer& dialer = plain_dialer());

  int fd() const { return connection_->fd(); }
  /// The events that have arrived; never waits. Takes a bounded share, so call it again while fd() is readable or
  /// has_more().
  /// Error: unavailable once the stream has ended and everything was read.
  Result<std::vector<ServerEvent>> read();
  /// Whether there will be no more events.
  bool has_ended() const { return ended_; }
  /// Whether the last read() left something behind, which fd() need not show: TLS reads ahead.
  bool has_more() const { return has_more_; }

 private:
  EventStream(std::unique_ptr<Connection> connection, ResponseReader reader)
      : connection_(std::move(connection)), reader_(std::move(reader)) {}

  std::unique_ptr<Connection> connection_;
  ResponseReader reader_;
  EventStreamParser parser_;
  bool ended_ = false;
  bool has_more_ = false;
};

}  // namespace townpost
