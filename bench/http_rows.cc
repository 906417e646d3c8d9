#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "bench/connections.h"
#include "bench/workshop.h"
#include "net/http_server.h"

namespace townpost::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr int kConnections = 32;
constexpr int kRounds = 11;
constexpr int kRequests = 20'000;
constexpr int kStreams = 1000;
constexpr std::string_view kRequest =
    "GET /api/mail/unread HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n";
constexpr std::string_view kBody = R"({"success":true,"data":{"count":0}})";
constexpr std::string_view kType = "application/json";

/// Bare Beast: reads a request, writes an answer, and knows no time-outs nor limits but its parser's.
class BeastServer {
 public:
  BeastServer() {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~BeastServer() {
    context_.stop();
    thread_.join();
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  struct Session : std::enable_shared_from_this<Session> {
    explicit Session(asio::ip::tcp::socket its_socket) : socket(std::move(its_socket)) {
      socket.set_option(asio::ip::tcp::no_delay(true));
    }
    void read() {
      request = {};
      http::async_read(socket, buffer, request, [self = shared_from_this()](auto error, std::size_t) {
        if (!error) self->write();
      });
    }
    void write() {
      answer = {};
      answer.version(request.version());
      answer.keep_alive(request.keep_alive());
      answer.set(http::field::content_type, std::string(kType));
      answer.body() = kBody;
      answer.prepare_payload();
      http::async_write(socket, answer, [self = shared_from_this()](auto error, std::size_t) {
        if (!error) self->read();
      });
    }
    asio::ip::tcp::socket socket;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::response<http::string_body> answer;
  };

  void accept() {
    acceptor_.async_accept([this](auto error, asio::ip::tcp::socket socket) {
      if (error) return;
      std::make_shared<Session>(std::move(socket))->read();
      accept();
    });
  }

  asio::io_context context_{1};
  asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

/// Says the same to everybody; a request for a stream gets one.
class OneAnswer : public HttpHandler {
 public:
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    if (exchange->request().path == "/stream") {
      const std::lock_guard lock(mutex_);
      streams_.push_back(exchange->stream({.headers = {{"Content-Type", "text/event-stream"}}}));
      return;
    }
    exchange->answer({.headers = {{"Content-Type", std::string(kType)}}, .body = std::string(kBody)});
  }
  HttpResponse refusal(int, std::string_view why) override { return {.body = std::string(why)}; }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpStream>> streams_;
};

/// Clients of one server that each ask again as soon as they are answered.
class Clients {
 public:
  explicit Clients(std::uint16_t port) : poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < kConnections; ++i) {
      sockets_.push_back(connected_to(port));
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, sockets_.back().get(), &event);
    }
    say(sockets_[0], kRequest);
    const auto answer = hear(sockets_[0]);
    if (answer.substr(0, 12) != "HTTP/1.1 200" || answer.find(kBody) == std::string::npos) give_up(answer);
    length_ = answer.size();
  }

  double requests_per_second() {
    std::array<std::size_t, kConnections> heard{};
    int asked = 0;
    int answered = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const auto& socket : sockets_) {
      say(socket, kRequest);
      ++asked;
    }
    std::array<epoll_event, kConnections> events{};
    while (answered < asked) {
      const int ready = ::epoll_wait(poll_.get(), events.data(), kConnections, 10'000);
      if (ready <= 0) give_up("no answer");
      for (std::size_t i = 0; i < static_cast<std::size_t>(ready); ++i) {
        const auto number = events[i].data.u64;
        heard[number] += hear(sockets_[number]).size();
        if (heard[number] < length_) continue;
        heard[number] = 0;
        ++answered;
        if (asked == kRequests) continue;
        say(sockets_[number], kRequest);
        ++asked;
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return answered / took.count();
  }

 private:
  FileDescriptor poll_;
  std::vector<FileDescriptor> sockets_;
  std::size_t length_ = 0;
};

std::size_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

/// What a thousand open streams add to the process, clients' sockets included.
std::size_t kib_of_streams(std::uint16_t port) {
  const auto before = resident_kib();
  std::vector<FileDescriptor> sockets;
  for (int i = 0; i < kStreams; ++i) {
    sockets.push_back(connected_to(port));
    say(sockets.back(), "GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    hear(sockets.back());
  }
  return resident_kib() - before;
}

}  // namespace

/// How many small requests the HTTP server answers with a handler that does nothing, against bare Beast.
Measured http_small(Workshop&) {
  OneAnswer handler;
  ServerLoop loop;
  loop.start();
  const auto made = HttpServer::listen(loop, {}, {.connections = kStreams + 2 * kConnections}, handler);
  if (!made) give_up(made.error().message);
  const BeastServer beast;
  std::vector<double> ours;
  std::vector<double> theirs;
  {
    Clients of_ours((*made)->port());
    Clients of_theirs(beast.port());
    of_ours.requests_per_second();
    of_theirs.requests_per_second();
    for (int i = 0; i < kRounds; ++i) {
      ours.push_back(of_ours.requests_per_second());
      theirs.push_back(of_theirs.requests_per_second());
    }
  }
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  const auto kib = kib_of_streams((*made)->port());
  return {.value = ours[kRounds / 2],
          .unit = "requests/s",
          .reference = theirs[kRounds / 2],
          .remarks = {cat("rounds of ours: ", static_cast<int>(ours.front()), " to ", static_cast<int>(ours.back()),
                          "; of Beast: ", static_cast<int>(theirs.front()), " to ", static_cast<int>(theirs.back())),
                      cat(kStreams, " idle event streams: ", kib, " KiB")}};
}

}  // namespace townpost::bench
