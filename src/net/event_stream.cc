#include "net/event_stream.h"

#include <utility>

#include "base/text.h"

namespace townpost {

Result<EventStream> EventStream::open(const HttpCall& call, const Dialer& dialer) {
  TRY(url, Url::parse(call.url, Url::Schemes::http_and_https));
  auto asked = call;
  asked.headers.emplace_back("Accept", "text/event-stream");
  TRY(request, http_request(asked, url));
  const auto deadline = Deadline::in(call.timeout, call.stop);
  TRY(connection, dialer.dial(url, deadline.or_in(call.connect_timeout)));
  TRY_VOID(connection->send(request, deadline));

  ResponseReader reader(ResponseReader::Body::endless);
  std::string piece;
  while (!reader.head_is_there()) {
    piece.clear();
    TRY(is_open, connection->receive(piece, deadline));
    auto read = is_open ? reader.feed(piece) : reader.end_of_input();
    if (!read) return fail(read.error().code, cat(url.origin(), ": ", read.error().message));
  }
  if (reader.status() != 200) return fail(Code::refused, cat(url.origin(), " refused its events: ", reader.status()));
  if (reader.content_type() != "text/event-stream")
    return fail(Code::refused, cat(url.origin(), " has no stream of events there"));
  return EventStream(std::move(connection), std::move(reader));
}

Result<std::vector<ServerEvent>> EventStream::read() {
  constexpr std::size_t kShare = 1u << 20;
  const auto over = [this] {
    return fail(Code::unavailable, cat("the events of ", connection_->url().origin(), " have ended"));
  };
  if (ended_) return over();
  auto events = parser_.feed(reader_.take_body());  // what came along with the head
  std::string piece;
  for (std::size_t taken = 0; taken < kShare && !ended_; taken += piece.size()) {
    piece.clear();
    const auto is_open = connection_->receive_now(piece);
    const bool readable = is_open && *is_open && reader_.feed(piece);
    ended_ = !readable || reader_.is_whole();
    for (auto& event : parser_.feed(reader_.take_body())) events.push_back(std::move(event));
    has_more_ = !piece.empty() && !ended_;
    if (piece.empty()) break;
  }
  if (ended_ && events.empty()) return over();
  return events;
}

}  // namespace townpost
