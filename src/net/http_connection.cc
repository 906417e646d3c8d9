#include "net/http_connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <utility>

#include "base/text.h"
#include "net/give_back.h"
#include "net/http_stream.h"

namespace townpost {

namespace {

constexpr int kMostPieces = 4;  // at a time: then others have their turn
constexpr std::size_t kMostLeaving = 256;
constexpr Millis kLeave = std::chrono::seconds(2);
constexpr Millis kLeaveInHaste{200};
constexpr std::size_t kSmall = 4096;  // a buffer that an idle connection may keep

void empty(std::string& text) {
  if (text.capacity() > kSmall)
    give_back(text);
  else
    text.clear();
}

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpCore> core, FileDescriptor fd, std::unique_ptr<Transport> transport,
                               Client client)
    : core_(std::move(core)),
      transport_(std::move(transport)),
      client_(std::move(client)),
      phase_(client_.secure ? Phase::shaking : Phase::reading) {
  socket_.emplace(*core_->loop, std::move(fd));
}

HttpConnection::~HttpConnection() = default;

void HttpConnection::start() {
  due_in(core_->limits.head_time);
  await();
}

void HttpConnection::turn_away() {
  refuse(503, "there are too many connections: try again soon");
  proceed();
}

// ---- what the socket has to say -----------------------------------------------------------------------------------

void HttpConnection::readable() {
  awaits_readable_ = false;
  go_on(Ready::to_read);
}

void HttpConnection::writable() {
  awaits_writable_ = false;
  go_on(read_needs_writable_ ? Ready::to_read : Ready::to_write);
}

void HttpConnection::go_on(Ready ready) {
  const auto self = shared_from_this();
  if (phase_ == Phase::shaking)
    shake_hands();
  else if (phase_ == Phase::leaving && ready == Ready::to_read)
    drain();
  else if (phase_ != Phase::closed && phase_ != Phase::leaving && ready == Ready::to_read)
    receive();
  proceed();
}

void HttpConnection::shake_hands() {
  read_needs_writable_ = false;
  switch (transport_->shake_hands()) {
    case Transport::Next::on:
      phase_ = Phase::reading;
      due_in(core_->limits.head_time);
      return receive();
    case Transport::Next::when_readable:
      return;
    case Transport::Next::when_writable:
      read_needs_writable_ = true;
      return;
    case Transport::Next::ended:
    case Transport::Next::broken:
      return close();
  }
}

bool HttpConnection::may_read() const {
  switch (phase_) {
    case Phase::reading:
      return !client_is_done_ && !(reader_ && (reader_->is_whole() || reader_->is_refused()));
    case Phase::asked:
    case Phase::streaming:
    case Phase::answering:
      // A client may ask ahead, but only so much; and that it has gone is seen by reading.
      return !client_is_done_ && !unread_is_junk_ && unread_.size() < core_->limits.head;
    case Phase::shaking:
    case Phase::leaving:
      return true;
    case Phase::closed:
      return false;
  }
  return false;
}

void HttpConnection::receive() {
  read_needs_writable_ = false;
  for (int i = 0; i < kMostPieces && may_read(); ++i) {
    const auto moved = transport_->read(core_->piece);
    switch (moved.next) {
      case Transport::Next::on:
        core_->count_in.fetch_add(moved.bytes, std::memory_order_relaxed);
        received({core_->piece.data(), moved.bytes});
        if (!client_.secure && moved.bytes < core_->piece.size()) return;  // there is no more for now
        break;
      case Transport::Next::when_readable:
        return;
      case Transport::Next::when_writable:
        read_needs_writable_ = true;
        return;
      case Transport::Next::ended:
        client_is_done_ = true;
        if (waiting_) waiting_->has_gone();
        if (phase_ == Phase::streaming) close();
        return;
      case Transport::Next::broken:
        return close();
    }
  }
}

void HttpConnection::received(std::string_view bytes) {
  if (phase_ != Phase::reading || !unread_.empty()) {
    unread_.append(bytes);
    return;
  }
  if (!reader_)
    reader_ =
        std::make_unique<RequestReader>(RequestReader::Limits{.head = core_->limits.head, .body = core_->limits.body});
  const bool had_begun = reader_->has_begun();
  const bool had_head = reader_->head_is_there();
  const auto used = reader_->feed(bytes);
  unread_ = bytes.substr(used);
  count_body();
  if (phase_ != Phase::reading) return;
  const bool head_came = !had_head && reader_->head_is_there();
  if (!head_came && (had_begun || !reader_->has_begun())) return;
  waits_since_ = Time::now();
  due_in(head_came ? core_->limits.body_time : core_->limits.head_time);
}

void HttpConnection::count_body() {
  const auto size = reader_->request().body.size();
  const auto all = core_->bodies += size - counted_body_;
  const bool grew = size > counted_body_;
  counted_body_ = size;
  if (grew && all > core_->limits.bodies) refuse(503, "too much is being received at once: try again soon");
}

// ---- from request to answer ---------------------------------------------------------------------------------------

void HttpConnection::proceed() {
  if (std::exchange(proceeds_, true)) return;  // whoever does goes on with it
  try {
    while (step()) {
    }
  } catch (...) {  // no memory, perhaps: for this client it is over, and the loop tells why
    close();
    throw;
  }
  proceeds_ = false;
  await();
}

/// Whether there may be more to do at once.
bool HttpConnection::step() {
  switch (phase_) {
    case Phase::reading:
      return read_on();
    case Phase::streaming:
      fill_from_stream();
      if (phase_ == Phase::closed) return false;
      [[fallthrough]];
    case Phase::answering:
      flush();
      if (phase_ == Phase::closed) return false;
      if (out_.empty()) return phase_ == Phase::answering && answered();
      if (!due_) due_in(core_->limits.send_time * static_cast<int>(1 + (out_.size() >> 20)));
      return false;
    case Phase::shaking:
    case Phase::asked:
    case Phase::leaving:
    case Phase::closed:
      return false;
  }
  return false;
}

bool HttpConnection::read_on() {
  if (!unread_.empty()) {
    const auto ahead = std::exchange(unread_, {});
    received(ahead);
    if (phase_ != Phase::reading) return true;
  }
  if (reader_ && reader_->is_refused()) {
    refuse(reader_->refusal().status, reader_->refusal().why);
    return true;
  }
  if (reader_ && reader_->is_whole()) {
    ask_handler();
    return true;
  }
  if (client_is_done_) {
    close();
    return false;
  }
  if (reader_ && reader_->head_is_there() && reader_->waits_to_go_on() && !std::exchange(told_to_go_on_, true))
    out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  if (!out_.empty()) flush();
  return false;
}

void HttpConnection::ask_handler() {
  auto request = std::move(reader_->request());
  is_kept_ = reader_->keeps_connection() && !core_->is_stopping;
  frame_ = frame();
  reader_.reset();
  told_to_go_on_ = false;
  request.peer = client_.address;
  request.secure = client_.secure;
  core_->count_requests.fetch_add(1, std::memory_order_relaxed);
  if (!core_->in_flight.enter(client_.address)) {
    core_->bodies -= std::exchange(counted_body_, 0);
    core_->count_refused.fetch_add(1, std::memory_order_relaxed);
    return say(core_->refusal(429, "too many requests at once: wait for the answers"));
  }
  counted_body_ = 0;  // the exchange's from here on
  phase_ = Phase::asked;
  due_.reset();
  waiting_ = std::make_shared<Waiting>();
  if (client_is_done_) waiting_->has_gone();
  try {
    core_->handler->handle(make_exchange(core_, shared_from_this(), waiting_, std::move(request)));
  } catch (const std::exception& thrown) {
    core_->loop->tell_trouble(thrown.what());
  } catch (...) {
    core_->loop->tell_trouble("a handler threw something unknown");
  }
}

/// How the request that was read wants to be answered.
ResponseFrame HttpConnection::frame() const {
  ResponseFrame wanted;
  if (!reader_) return wanted;
  wanted.to_http_1_0 = reader_->is_http_1_0();
  if (reader_->request().method == "HEAD") wanted.sent = ResponseFrame::Sent::head_only;
  return wanted;
}

void HttpConnection::answer(const HttpResponse& response) {
  if (phase_ != Phase::asked) return;
  waiting_.reset();
  say(response);
  proceed();
}

void HttpConnection::nobody_answered() {
  core_->count_refused.fetch_add(1, std::memory_order_relaxed);
  answer(core_->refusal(500, "the request was not answered"));
}

/// Answers a request that the handler never sees; the connection cannot be used for another.
void HttpConnection::refuse(int status, std::string_view why) {
  core_->count_refused.fetch_add(1, std::memory_order_relaxed);
  auto response = core_->refusal(status, why);
  frame_ = frame();
  reader_.reset();
  core_->bodies -= std::exchange(counted_body_, 0);
  give_back(unread_);
  unread_is_junk_ = true;
  is_kept_ = false;
  say(response);
}

void HttpConnection::say(const HttpResponse& response) {
  if (response.body.size() > kSmall && !core_->make_room_to_answer(response.body.size())) {
    core_->count_refused.fetch_add(1, std::memory_order_relaxed);
    return say(core_->refusal(503, "too many answers wait to be taken: try again soon"));
  }
  phase_ = Phase::answering;
  answers_since_ = Time::now();
  due_.reset();
  is_kept_ = is_kept_ && !core_->is_stopping;
  frame_.body = ResponseFrame::Body::counted;
  frame_.after = is_kept_ ? ResponseFrame::After::stay : ResponseFrame::After::close;
  out_ += response_text(response, frame_, core_->date());
  count_answer();
}

void HttpConnection::count_answer() {
  const auto left = phase_ == Phase::answering ? out_.size() - sent_ : 0;
  core_->answers += left - std::exchange(counted_answer_, left);
}

void HttpConnection::flush() {
  write_needs_readable_ = false;
  while (sent_ < out_.size()) {
    const auto moved = transport_->write(std::string_view(out_).substr(sent_));
    if (moved.next == Transport::Next::on) {
      sent_ += moved.bytes;
      core_->count_out.fetch_add(moved.bytes, std::memory_order_relaxed);
      continue;
    }
    if (moved.next == Transport::Next::ended || moved.next == Transport::Next::broken) return close();
    write_needs_readable_ = moved.next == Transport::Next::when_readable;
    break;
  }
  if (sent_ == out_.size()) {
    empty(out_);
    sent_ = 0;
    if (phase_ == Phase::streaming) due_.reset();
  } else if (sent_ > out_.size() / 2) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  count_answer();
  if (stream_) stream_->not_yet_sent(out_.size() - sent_);
}

/// All of an answer is sent.
bool HttpConnection::answered() {
  if (!is_kept_ || core_->is_stopping) {
    leave();
    return false;
  }
  phase_ = Phase::reading;
  waits_since_ = Time::now();
  due_in(core_->limits.idle_time);
  return true;
}

// ---- streams ------------------------------------------------------------------------------------------------------

void HttpConnection::stream(const HttpResponse& head, std::shared_ptr<StreamBuffer> stream) {
  const bool has_body =
      frame_.sent == ResponseFrame::Sent::whole && head.status != 204 && head.status != 304 && !client_is_done_;
  if (phase_ != Phase::asked || !has_body) {
    if (phase_ == Phase::asked) answer({.status = head.status, .headers = head.headers});
    return stream->ended();
  }
  waiting_.reset();
  phase_ = Phase::streaming;
  frame_.body = frame_.to_http_1_0 ? ResponseFrame::Body::until_close : ResponseFrame::Body::chunked;
  is_kept_ = is_kept_ && !frame_.to_http_1_0 && !core_->is_stopping;
  frame_.after = is_kept_ ? ResponseFrame::After::stay : ResponseFrame::After::close;
  out_ += response_text(head, frame_, core_->date());
  if (frame_.body == ResponseFrame::Body::chunked)
    append_chunk(out_, head.body);
  else
    out_ += head.body;
  stream_ = std::move(stream);
  core_->count_streams.fetch_add(1, std::memory_order_relaxed);
  if (core_->is_stopping) stream_->close();
  proceed();
}

void HttpConnection::stream_has_more() {
  if (phase_ == Phase::streaming) proceed();
}

void HttpConnection::fill_from_stream() {
  if (stream_->is_overfull()) return close();
  const auto piece = stream_->take();
  const bool is_chunked = frame_.body == ResponseFrame::Body::chunked;
  if (is_chunked)
    append_chunk(out_, piece.bytes);
  else
    out_ += piece.bytes;
  if (!piece.is_last) return;
  if (is_chunked) out_ += kLastChunk;
  phase_ = Phase::answering;
  core_->count_streams.fetch_sub(1, std::memory_order_relaxed);
  std::exchange(stream_, nullptr)->ended();
}

// ---- the end ------------------------------------------------------------------------------------------------------

void HttpConnection::wind_down(Millis idle) {
  if (phase_ == Phase::streaming) {
    stream_->close();
    return;
  }
  const auto is_idle = [this] { return phase_ == Phase::reading && !(reader_ && reader_->has_begun()); };
  if (is_idle()) {  // a request may be there that nobody has looked at yet
    receive();
    proceed();
  }
  if (!is_idle() && phase_ != Phase::shaking) return;
  if (idle > Millis(0))
    due_in(idle);  // a client that is busy asks once more by then, and is told to come again elsewhere
  else
    close();
}

void HttpConnection::leave() {
  due_.reset();
  waiting_.reset();
  transport_->say_goodbye();
  // To close while something of the client's is unread would throw away what it has not read of the answer.
  if (client_is_done_ || core_->leaving >= kMostLeaving) return close();
  phase_ = Phase::leaving;
  ++core_->leaving;
  due_in(core_->is_stopping ? kLeaveInHaste : kLeave);
  drain();
}

void HttpConnection::drain() {
  for (int i = 0; i < kMostPieces; ++i) {
    const auto got = ::recv(socket_->fd(), core_->piece.data(), core_->piece.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return close();
    if (got < 0) return;
  }
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();
  if (phase_ == Phase::leaving) --core_->leaving;
  phase_ = Phase::closed;
  due_.reset();
  transport_.reset();
  socket_.reset();
  reader_.reset();
  give_back(unread_);
  give_back(out_);
  sent_ = 0;
  count_answer();
  core_->bodies -= std::exchange(counted_body_, 0);
  core_->connections.forget(self);
  if (const auto waiting = std::exchange(waiting_, nullptr)) waiting->has_gone();
  if (const auto stream = std::exchange(stream_, nullptr)) {
    core_->count_streams.fetch_sub(1, std::memory_order_relaxed);
    stream->ended();
  }
}

HttpConnection::Spared HttpConnection::spared() const {
  switch (phase_) {
    case Phase::shaking:
    case Phase::leaving:
      return Spared::gladly;
    case Phase::reading:
      return reader_ && reader_->head_is_there() ? Spared::reluctantly : Spared::gladly;
    case Phase::asked:
    case Phase::streaming:
    case Phase::answering:
    case Phase::closed:
      return Spared::no;
  }
  return Spared::no;
}

void HttpConnection::overdue() {
  due_.reset();
  if (phase_ != Phase::reading || !reader_ || !reader_->has_begun()) return close();
  refuse(408, reader_->head_is_there() ? "the body took too long" : "the head took too long");
  proceed();
}

void HttpConnection::due_in(Millis wait) {
  due_ = Time::now() + wait;
  core_->alarm->ring_at(*due_);
}

void HttpConnection::await() {
  if (phase_ == Phase::closed) return;
  const bool reads = may_read();
  const bool writes = !out_.empty();
  if (!awaits_readable_ && ((reads && !read_needs_writable_) || (writes && write_needs_readable_))) {
    awaits_readable_ = true;
    socket_->await_readable(shared_from_this());
  }
  if (!awaits_writable_ && ((writes && !write_needs_readable_) || (reads && read_needs_writable_))) {
    awaits_writable_ = true;
    socket_->await_writable(shared_from_this());
  }
}

}  // namespace townpost
