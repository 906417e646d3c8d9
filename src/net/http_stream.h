#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/cancellation.h"
#include "base/mutex.h"
#include "net/http_exchange.h"
#include "net/loop_core.h"

namespace townpost {

class HttpConnection;

/// What an open answer still has to send, between whoever writes it and the connection.
class StreamBuffer : public std::enable_shared_from_this<StreamBuffer> {
 public:
  StreamBuffer(std::shared_ptr<LoopCore> loop, std::weak_ptr<HttpConnection> connection, std::size_t most)
      : loop_(std::move(loop)), connection_(std::move(connection)), most_(most) {}

  // Any thread.
  bool write(std::string bytes);
  std::size_t unsent();
  void close();
  void on_close(std::function<void()> told);

  // The connection, in the loop's thread.
  struct Piece {
    std::string bytes;
    bool is_last = false;
  };
  Piece take();
  /// How much of what was taken the client has not got yet.
  void not_yet_sent(std::size_t bytes);
  bool is_overfull();
  /// Nothing can be written any more.
  void ended();

 private:
  void wake() REQUIRES(mutex_);

  std::shared_ptr<LoopCore> loop_;
  std::weak_ptr<HttpConnection> connection_;
  std::size_t most_;
  Mutex mutex_;
  std::string pending_ GUARDED_BY(mutex_);
  std::size_t taken_ GUARDED_BY(mutex_) = 0;  ///< and not sent
  bool is_closed_ GUARDED_BY(mutex_) = false;
  bool is_overfull_ GUARDED_BY(mutex_) = false;
  bool has_ended_ GUARDED_BY(mutex_) = false;
  bool is_awake_ GUARDED_BY(mutex_) = false;  ///< the connection will look soon
  std::function<void()> told_ GUARDED_BY(mutex_);
};

/// Whoever waits for an answer. Any thread.
class Waiting {
 public:
  std::shared_ptr<const Cancellation> cancellation();
  void has_gone();

 private:
  Mutex mutex_;
  std::shared_ptr<Cancellation> cancellation_ GUARDED_BY(mutex_);  // made when it is asked for: it costs a descriptor
  bool has_gone_ GUARDED_BY(mutex_) = false;
};

struct HttpCore;

/// What the handler gets. The request is in flight until it is answered, and its body is kept until it is dropped.
std::shared_ptr<HttpExchange> make_exchange(std::shared_ptr<HttpCore> core, std::shared_ptr<HttpConnection> connection,
                                            std::shared_ptr<Waiting> waiting, HttpRequest request);

}  // namespace townpost
