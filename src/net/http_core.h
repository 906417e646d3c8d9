#pragma once
#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "net/acceptor.h"
#include "net/http_server.h"
#include "net/loop_core.h"
#include "net/open_ones.h"

namespace townpost {

class HttpConnection;

/// How many requests of each address are being answered. Any thread.
class InFlight {
 public:
  explicit InFlight(std::size_t most) : most_(most) {}
  bool enter(const std::string& peer);
  void leave(const std::string& peer);

 private:
  std::size_t most_;
  Mutex mutex_;
  std::map<std::string, std::size_t> counts_ GUARDED_BY(mutex_);
};

/// What the connections of an HttpServer share. For the loop's thread, unless it says otherwise.
struct HttpCore : std::enable_shared_from_this<HttpCore> {
  using Time = std::chrono::steady_clock;

  HttpCore(std::shared_ptr<LoopCore> its_loop, const HttpServer::Limits& its_limits, HttpHandler& its_handler)
      : loop(std::move(its_loop)), limits(its_limits), handler(&its_handler), in_flight(its_limits.in_flight) {}

  void accepted(FileDescriptor fd);
  /// Closes whoever has been waited for longest, if that was for over a second; one whose body is coming only where
  /// there is no other.
  bool make_room();
  /// Whether so many bytes more may wait to be taken. Closes whoever has left most of its answer for over a second.
  bool make_room_to_answer(std::size_t bytes);
  /// Tells every connection whose time has come.
  void sweep();
  HttpResponse refusal(int status, std::string_view why);
  const std::string& date();
  void begin_to_stop(Millis idle);
  void end_all();

  std::shared_ptr<LoopCore> loop;
  HttpServer::Limits limits;
  HttpHandler* handler;
  InFlight in_flight;
  std::shared_ptr<Acceptor> listener;
  std::shared_ptr<LoopAlarm> alarm;
  bool is_stopping = false;
  OpenOnes<HttpConnection> connections;
  std::size_t answers = 0;                                 ///< bytes of them that clients have not taken
  std::size_t leaving = 0;                                 ///< connections that are only waited for to hang up
  std::vector<char> piece = std::vector<char>(64u << 10);  ///< what is read, before anybody keeps it

  // Any thread.
  std::atomic<std::size_t> bodies = 0;
  std::atomic<std::uint64_t> count_accepted = 0, count_requests = 0, count_refused = 0, count_in = 0, count_out = 0,
                             count_streams = 0;
  Mutex mutex;
  std::shared_ptr<const TlsIdentity> identity GUARDED_BY(mutex);  ///< none: in the clear
  std::optional<TlsFiles> tls_files;                              ///< never changes

 private:
  std::time_t date_of_ = 0;
  std::string date_;
};

}  // namespace townpost
