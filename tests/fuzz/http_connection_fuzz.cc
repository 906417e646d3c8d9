// What a client sends to the HTTP server: input is "CUT\n" and its bytes. They are read as requests, whole and in
// pieces, and held against Beast's parser; then a connection gets them, whole and in pieces, and its answers must be
// answers.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "net/http_connection.h"
#include "net/http_core.h"
#include "net/request_reader.h"
#include "net/transport.h"

using namespace townpost;

namespace {

namespace http = boost::beast::http;

constexpr std::size_t kHead = 1024;
constexpr std::size_t kBody = 4096;

/// The first request: how much of the bytes it took, and what became of it.
struct Read {
  std::size_t used = 0;
  bool whole = false;
  int refused = 0;
  HttpRequest request;
};

Read read_request(std::string_view bytes, std::size_t cut) {
  RequestReader reader({.head = kHead, .fields = 20, .body = kBody});
  Read read;
  for (; !bytes.empty() && !reader.is_whole() && !reader.is_refused(); bytes.remove_prefix(std::min(cut, bytes.size())))
    read.used += reader.feed(bytes.substr(0, cut));
  read.whole = reader.is_whole();
  if (reader.is_refused()) read.refused = reader.refusal().status;
  read.request = std::move(reader.request());
  return read;
}

void beast_agrees(std::string_view bytes, const Read& ours) {
  auto whole = bytes.substr(0, ours.used);
  while (whole.substr(0, 2) == "\r\n") whole.remove_prefix(2);  // Beast knows no empty lines in front
  http::request_parser<http::string_body> theirs;
  theirs.eager(true);
  theirs.header_limit(64u << 10);
  theirs.body_limit(kBody);
  while (!theirs.is_done()) {
    boost::system::error_code error;
    const auto used = theirs.put(boost::asio::buffer(whole.data(), whole.size()), error);
    whole.remove_prefix(used);
    CHECK(!error || error == http::error::need_more);
    CHECK(used > 0 || theirs.is_done());
  }
  CHECK(whole.empty());
  const auto& request = theirs.get();
  CHECK(std::string(request.method_string()) == ours.request.method);
  const auto& query = ours.request.query;
  const std::string target(request.target());
  CHECK(target == ours.request.path || target == cat(ours.request.path, "?", query));
  CHECK(request.body() == ours.request.body);
  for (const auto& [name, value] : ours.request.headers) {
    bool found = false;
    for (const auto& field : request)
      found = found || (lower_ascii(std::string(field.name_string())) == name && std::string(field.value()) == value);
    CHECK(found);
  }
}

/// Says again what was sent wherever a handler could say it. Every body ends with a line, so that each answer begins
/// one.
class Echo final : public HttpHandler {
 public:
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    ++asked;
    const auto& request = exchange->request();
    HttpResponse answer{.status = 200, .headers = {{request.path, request.query}}, .body = "body\r\n"};
    for (const auto& [name, value] : request.headers)
      answer.headers.emplace_back(name, cat(value, "\r\nHTTP/1.1 ", request.body));
    answer.headers.emplace_back(request.body, "x");
    if (request.path == "/stream")
      exchange->stream(std::move(answer))->write("more\r\n");
    else if (request.path == "/dropped")
      ++dropped;
    else
      exchange->answer(std::move(answer));
  }
  HttpResponse refusal(int, std::string_view why) override { return {.body = cat(why, "\r\n")}; }
  std::size_t asked = 0;
  std::size_t dropped = 0;
};

/// A loop that runs when it is told to, and what its connections share.
struct Stage {
  ServerLoop loop;
  Echo echo;
  std::shared_ptr<HttpCore> core =
      std::make_shared<HttpCore>(loop.core(), HttpServer::Limits{.head = kHead, .body = kBody}, echo);

  Stage() {
    core->alarm = std::make_shared<LoopAlarm>(core->loop, [] {});
  }
  void run() {
    core->loop->context().restart();
    core->loop->context().poll();
  }
};

/// How many answers there are in what the server said.
std::size_t answers_in(std::string_view said) {
  std::size_t count = 0;
  while (!said.empty()) {
    const auto end = said.find("\r\n");
    CHECK(end != std::string_view::npos);
    const auto line = said.substr(0, end);
    CHECK(line.find_first_of("\r\n") == std::string_view::npos);
    if (line.substr(0, 9) == "HTTP/1.1 " && line != "HTTP/1.1 100 Continue") ++count;
    said.remove_prefix(end + 2);
  }
  return count;
}

void talk(std::string_view bytes, std::size_t cut) {
  Stage stage;
  std::array<int, 2> ends{};
  CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
  const FileDescriptor client(ends[0]);
  auto transport = plain_transport(ends[1]);
  auto connection = std::make_shared<HttpConnection>(stage.core, FileDescriptor(ends[1]), std::move(transport),
                                                     HttpConnection::Client{.address = "here"});
  stage.core->connections.add(connection);
  connection->start();
  connection.reset();
  std::string said;
  const auto let_it_work = [&] {
    stage.run();
    std::array<char, 65536> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): it is filled
    ssize_t got = 0;
    while ((got = ::recv(client.get(), piece.data(), piece.size(), MSG_DONTWAIT)) > 0)
      said.append(piece.data(), static_cast<std::size_t>(got));
  };
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, cut);
    const auto sent = ::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) break;
    bytes.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
    let_it_work();
  }
  ::shutdown(client.get(), SHUT_WR);
  for (int i = 0; i < 100'000 && stage.core->connections.size() > 0; ++i) let_it_work();
  let_it_work();
  auto& core = *stage.core;
  CHECK(core.connections.size() == 0 && core.leaving == 0);
  CHECK(core.bodies == 0 && core.count_streams == 0);
  CHECK(answers_in(said) == stage.echo.asked - stage.echo.dropped + core.count_refused);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = fuzz::as_text(data, size);
  const auto cut = fuzz::as_size(fuzz::take(bytes, '\n'));
  const auto whole = read_request(bytes, bytes.size() + 1);
  const auto pieces = read_request(bytes, cut);
  CHECK(whole.whole == pieces.whole && whole.refused == pieces.refused);
  CHECK(whole.request.method == pieces.request.method && whole.request.path == pieces.request.path);
  CHECK(whole.request.headers == pieces.request.headers && whole.request.body == pieces.request.body);
  if (whole.whole) {
    CHECK(whole.used == pieces.used);
    beast_agrees(bytes, whole);
  }
  talk(bytes, bytes.size() + 1);
  talk(bytes, cut);
  return 0;
}
