#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_core.h"
#include "net/request_reader.h"
#include "net/response_text.h"
#include "net/transport.h"

namespace townpost {

class StreamBuffer;
class Waiting;

/// One client of an HttpServer, from its greeting to its end. For the loop's thread.
class HttpConnection final : public EndWatcher, public std::enable_shared_from_this<HttpConnection> {
 public:
  using Time = std::chrono::steady_clock;
  struct Client {
    std::string address;
    bool secure = false;
  };

  HttpConnection(std::shared_ptr<HttpCore> core, FileDescriptor fd, std::unique_ptr<Transport> transport,
                 Client client);
  ~HttpConnection() override;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  /// Tells it that there is no place, and waits for it to hang up.
  void turn_away();
  /// Closes it if it is idle for so long; else it is closed when it is answered.
  void wind_down(Millis idle);
  void close();

  /// How well it can be done without: not while it is answered.
  enum class Spared { no, reluctantly, gladly };  ///< reluctantly: a body is coming
  Spared spared() const;
  Time::time_point waits_since() const { return waits_since_; }
  /// What of its answer the client has not taken, and since when it could.
  std::size_t left_of_answer() const { return counted_answer_; }
  Time::time_point answers_since() const { return answers_since_; }
  const std::optional<Time::time_point>& due() const { return due_; }
  void overdue();

  // What becomes of the request that is being handled.
  void answer(const HttpResponse& response);
  void nobody_answered();
  void stream(const HttpResponse& head, std::shared_ptr<StreamBuffer> stream);
  void stream_has_more();

  void readable() override;
  void writable() override;

  HttpCore& core() { return *core_; }

 private:
  enum class Phase {
    shaking,    ///< hands, in TLS
    reading,    ///< a request
    asked,      ///< the handler has it
    streaming,  ///< the answer goes on
    answering,  ///< the rest of the answer is being sent
    leaving,    ///< everything is sent: what still comes is dropped until the client hangs up
    closed
  };

  enum class Ready { to_read, to_write };
  void go_on(Ready ready);
  void shake_hands();
  void receive();
  void received(std::string_view bytes);
  bool may_read() const;
  void proceed();
  bool step();
  bool read_on();
  void ask_handler();
  void refuse(int status, std::string_view why);
  void say(const HttpResponse& response);
  void flush();
  void fill_from_stream();
  bool answered();
  void leave();
  void drain();
  void await();
  void due_in(Millis wait);
  void count_body();
  void count_answer();
  ResponseFrame frame() const;

  std::shared_ptr<HttpCore> core_;
  std::optional<Watched> socket_;
  std::unique_ptr<Transport> transport_;
  Client client_;
  Phase phase_;

  std::unique_ptr<RequestReader> reader_;  ///< none while nothing of a request was seen
  std::string unread_;                     ///< what the client has sent ahead
  std::size_t counted_body_ = 0;           ///< what is counted in HttpCore::bodies for the request that is being read
  bool client_is_done_ = false;            ///< it sends no more
  bool told_to_go_on_ = false;

  std::shared_ptr<Waiting> waiting_;  ///< who wants the answer
  std::shared_ptr<StreamBuffer> stream_;
  ResponseFrame frame_;          ///< of the answer to the current request
  bool is_kept_ = true;          ///< another request may follow
  bool unread_is_junk_ = false;  ///< the request was refused before all of it was read

  std::string out_;
  std::size_t sent_ = 0;            ///< of it
  std::size_t counted_answer_ = 0;  ///< what is counted in HttpCore::answers
  Time::time_point answers_since_ = Time::now();

  bool awaits_readable_ = false;
  bool awaits_writable_ = false;
  bool read_needs_writable_ = false;  ///< in TLS, either way may need the other
  bool write_needs_readable_ = false;
  bool proceeds_ = false;
  std::optional<Time::time_point> due_;
  Time::time_point waits_since_ = Time::now();
};

}  // namespace townpost
