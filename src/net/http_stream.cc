#include "net/http_stream.h"

#include <atomic>
#include <utility>

#include "net/give_back.h"
#include "net/http_connection.h"

namespace townpost {

bool StreamBuffer::write(std::string bytes) {
  const MutexLock lock(mutex_);
  if (is_closed_ || has_ended_) return false;
  if (pending_.size() + taken_ + bytes.size() > most_) {
    is_closed_ = is_overfull_ = true;
    give_back(pending_);
    wake();
    return false;
  }
  if (pending_.empty())
    pending_ = std::move(bytes);
  else
    pending_ += bytes;
  wake();
  return true;
}

std::size_t StreamBuffer::unsent() {
  const MutexLock lock(mutex_);
  return pending_.size() + taken_;
}

void StreamBuffer::close() {
  const MutexLock lock(mutex_);
  if (std::exchange(is_closed_, true) || has_ended_) return;
  wake();
}

void StreamBuffer::on_close(std::function<void()> told) {
  {
    const MutexLock lock(mutex_);
    if (!has_ended_) {
      told_ = std::move(told);
      return;
    }
  }
  if (!loop_->post(told)) told();
}

void StreamBuffer::wake() {
  if (std::exchange(is_awake_, true)) return;
  const auto there = loop_->post([connection = connection_] {
    if (const auto one = connection.lock()) one->stream_has_more();
  });
  if (!there) is_closed_ = true;
}

StreamBuffer::Piece StreamBuffer::take() {
  const MutexLock lock(mutex_);
  is_awake_ = false;
  taken_ += pending_.size();
  return {std::exchange(pending_, {}), is_closed_};
}

void StreamBuffer::not_yet_sent(std::size_t bytes) {
  const MutexLock lock(mutex_);
  taken_ = bytes;
}

bool StreamBuffer::is_overfull() {
  const MutexLock lock(mutex_);
  return is_overfull_;
}

void StreamBuffer::ended() {
  std::function<void()> told;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(has_ended_, true)) return;
    is_closed_ = true;
    give_back(pending_);
    told = std::exchange(told_, nullptr);
  }
  if (told) told();
}

std::shared_ptr<const Cancellation> Waiting::cancellation() {
  const MutexLock lock(mutex_);
  if (!cancellation_) {
    cancellation_ = std::make_shared<Cancellation>();
    if (has_gone_) cancellation_->cancel();
  }
  return cancellation_;
}

void Waiting::has_gone() {
  const MutexLock lock(mutex_);
  has_gone_ = true;
  if (cancellation_) cancellation_->cancel();
}

namespace {

class Stream final : public HttpStream {
 public:
  explicit Stream(std::shared_ptr<StreamBuffer> buffer) : buffer_(std::move(buffer)) {}
  ~Stream() override { buffer_->close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool write(std::string bytes) override { return buffer_->write(std::move(bytes)); }
  std::size_t unsent() override { return buffer_->unsent(); }
  void close() override { buffer_->close(); }
  void on_close(std::function<void()> told) override { buffer_->on_close(std::move(told)); }

 private:
  std::shared_ptr<StreamBuffer> buffer_;
};

class Exchange final : public HttpExchange {
 public:
  Exchange(std::shared_ptr<HttpCore> core, std::shared_ptr<HttpConnection> connection, std::shared_ptr<Waiting> waiting,
           HttpRequest request)
      : core_(std::move(core)),
        connection_(std::move(connection)),
        waiting_(std::move(waiting)),
        body_size_(request.body.size()),
        peer_(request.peer),
        request_(std::move(request)) {}

  ~Exchange() override {
    if (is_first_answer()) inside([](HttpConnection& connection) { connection.nobody_answered(); });
    core_->bodies -= body_size_;
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const override { return request_; }

  void answer(HttpResponse response) override {
    if (!is_first_answer()) return;
    inside([response = std::move(response)](HttpConnection& connection) { connection.answer(response); });
  }

  std::shared_ptr<HttpStream> stream(HttpResponse head) override {
    auto buffer = std::make_shared<StreamBuffer>(core_->loop, connection_, core_->limits.stream_buffer);
    auto stream = std::make_shared<Stream>(buffer);
    if (!is_first_answer() ||
        !inside([head = std::move(head), buffer](HttpConnection& connection) { connection.stream(head, buffer); }))
      buffer->ended();
    return stream;
  }

  std::shared_ptr<const Cancellation> cancellation() override { return waiting_->cancellation(); }

 private:
  bool is_first_answer() {
    if (is_answered_.exchange(true)) return false;
    core_->in_flight.leave(peer_);
    return true;
  }

  /// False if it will never be done, because the loop is over.
  template <class Do>
  bool inside(Do work) {
    if (!core_->loop->is_here())
      return core_->loop->post([connection = connection_, work = std::move(work)] { work(*connection); });
    work(*connection_);
    return true;
  }

  std::shared_ptr<HttpCore> core_;
  std::shared_ptr<HttpConnection> connection_;
  std::shared_ptr<Waiting> waiting_;
  std::size_t body_size_;
  std::string peer_;
  HttpRequest request_;
  std::atomic<bool> is_answered_ = false;
};

}  // namespace

std::shared_ptr<HttpExchange> make_exchange(std::shared_ptr<HttpCore> core, std::shared_ptr<HttpConnection> connection,
                                            std::shared_ptr<Waiting> waiting, HttpRequest request) {
  return std::make_shared<Exchange>(std::move(core), std::move(connection), std::move(waiting), std::move(request));
}

}  // namespace townpost
