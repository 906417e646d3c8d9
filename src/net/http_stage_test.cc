#include "net/http_stage_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/deadline.h"
#include "base/text.h"
#include "support/await.h"

namespace townpost {

RawClient::RawClient(std::uint16_t port, Receives receives) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int small = 4096;
  if (receives == Receives::little) ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
}

bool RawClient::say(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::say_no_more() const { ::shutdown(fd_.get(), SHUT_WR); }

bool RawClient::read_more() {
  std::array<char, 16384> piece{};
  const auto got = ::recv(fd_.get(), piece.data(), piece.size(), 0);
  if (got > 0) unread_.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::string RawClient::until(std::string_view text) {
  std::size_t at = 0;
  while ((at = unread_.find(text)) == std::string::npos)
    if (!read_more()) return std::exchange(unread_, {});
  auto taken = unread_.substr(0, at + text.size());
  unread_.erase(0, taken.size());
  unread_.shrink_to_fit();
  return taken;
}

std::string RawClient::head() { return until("\r\n\r\n"); }

std::string RawClient::answer() {
  auto all = head();
  const auto at = all.find("Content-Length: ");
  const auto length = at == std::string::npos ? 0 : std::strtoul(all.c_str() + at + 16, nullptr, 10);
  while (unread_.size() < length)
    if (!read_more()) break;
  all += unread_.substr(0, length);
  unread_.erase(0, length);
  return all;
}

std::string RawClient::rest() {
  while (read_more()) {
  }
  return std::exchange(unread_, {});
}

HttpResponse Clerk::refusal(int status, std::string_view why) {
  return {.status = status, .headers = {{"Content-Type", "text/plain"}}, .body = cat(status, " ", why)};
}

void Clerk::echo(const std::shared_ptr<HttpExchange>& exchange) {
  const auto& asked = exchange->request();
  exchange->answer({.body = cat(asked.method, " ", asked.path, " ", asked.query, " ", asked.body)});
}

void Pile::put(std::shared_ptr<HttpExchange> exchange) {
  const std::lock_guard lock(mutex_);
  exchanges_.push_back(std::move(exchange));
}

std::shared_ptr<HttpExchange> Pile::take() {
  await("a request came", [this] { return size() > 0; });
  const std::lock_guard lock(mutex_);
  auto one = std::move(exchanges_.front());
  exchanges_.pop_front();
  return one;
}

std::size_t Pile::size() const {
  const std::lock_guard lock(mutex_);
  return exchanges_.size();
}

HttpStage::HttpStage(Clerk::Work work, HttpServer::Limits limits, std::optional<TlsFiles> tls)
    : loop_([this](std::string_view what) {
        const std::lock_guard lock(mutex_);
        troubles_.emplace_back(what);
      }),
      clerk_(std::move(work)) {
  loop_.start();
  server_ = HttpServer::listen(loop_, {.tls = std::move(tls)}, limits, clerk_).value();
}

std::vector<std::string> HttpStage::troubles() const {
  const std::lock_guard lock(mutex_);
  return troubles_;
}

void HttpStage::await_connections(std::size_t count) const {
  await(cat(count, " are connected"), [&] { return server_->counters().connections == count; });
}

std::size_t count_to_the_end(EventStream& events) {
  std::size_t count = 0;
  await("all events", [&] {
    const auto read = events.read();
    if (read) count += read->size();
    return events.has_ended();
  });
  return count;
}

std::string get(std::string_view path, std::string_view more_headers) {
  return cat("GET ", path, " HTTP/1.1\r\nHost: town\r\n", more_headers, "\r\n");
}

int status_of(std::string_view answer) {
  return answer.substr(0, 9) == "HTTP/1.1 " ? std::atoi(std::string(answer.substr(9, 3)).c_str()) : 0;
}

std::string body_of(std::string_view answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string_view::npos ? "" : std::string(answer.substr(end + 4));
}

}  // namespace townpost
