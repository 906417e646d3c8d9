#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "delivery/http/connection.h"
#include "delivery/http/event_stream_parser.h"
#include "delivery/http/http_client.h"
#include "delivery/http/response_reader.h"

namespace townpost {

/// An open stream of server-sent events. read() at once, as the first events may have come with the grant, and then
/// whenever fd() is readable. Closed at the end.
class EventStream {
 public:
  /// Asks for the stream and waits, at most call.timeout, until the server grants it. The codes are those of
  /// HttpClient; refused also if the answer is no stream of events.
  static Result<EventStream> open(const HttpCall& call);

  int fd() const { return connection_.fd(); }
  /// The events that have arrived; never waits. Takes a bounded share, so call it again while fd() is readable.
  /// Error: unavailable once the stream has ended and everything was read.
  Result<std::vector<ServerEvent>> read();
  /// Whether there will be no more events.
  bool has_ended() const { return ended_; }

 private:
  EventStream(Connection connection, ResponseReader reader)
      : connection_(std::move(connection)), reader_(std::move(reader)) {}

  Connection connection_;
  ResponseReader reader_;
  EventStreamParser parser_;
  bool ended_ = false;
};

}  // namespace townpost
