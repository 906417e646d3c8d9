#include "net/little_server_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace townpost {

namespace {

/// Bound to a free port of loopback; its number in `port`.
FileDescriptor bound_socket(std::string& port) {
  FileDescriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  CHECK(bind(fd.get(), reinterpret_cast<sockaddr*>(&place), size) == 0);
  CHECK(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&place), &size) == 0);
  port = std::to_string(ntohs(place.sin_port));
  return fd;
}

bool read_more(int fd, std::string& into) {
  std::array<char, 16384> piece{};
  const auto got = recv(fd, piece.data(), piece.size(), 0);
  if (got > 0) into.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::size_t body_length(const std::string& head) {
  const auto at = lower_ascii(head).find("content-length:");
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 15, nullptr, 10);
}

/// Takes one request off `unread`, reading on as needed. False at the end of the connection.
bool take_request(int fd, std::string& unread, Asked& asked) {
  std::size_t end = 0;
  while ((end = unread.find("\r\n\r\n")) == std::string::npos)
    if (!read_more(fd, unread)) return false;
  asked.head = unread.substr(0, end + 2);
  unread.erase(0, end + 4);
  const auto length = body_length(asked.head);
  while (unread.size() < length)
    if (!read_more(fd, unread)) return false;
  asked.body = unread.substr(0, length);
  unread.erase(0, length);
  const auto words = split(std::string_view(asked.head).substr(0, asked.head.find("\r\n")), ' ');
  asked.method = words.at(0);
  asked.target = words.at(1);
  return true;
}

}  // namespace

bool Wire::reaches(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Wire::close() const { shutdown(fd_, SHUT_RDWR); }

void Wire::wait_until_hung_up() const {
  std::string ignored;
  while (read_more(fd_, ignored)) {
  }
}

LittleServer::LittleServer(Answer answer) : answer_(std::move(answer)), listener_(listening_socket(port_)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

LittleServer::~LittleServer() {
  shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (const auto& socket : sockets_) shutdown(socket.get(), SHUT_RDWR);
  for (auto& thread : threads_) thread.join();
}

void LittleServer::accept_all() {
  while (true) {
    FileDescriptor fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, number = fd.get()] { serve(number); });
    sockets_.push_back(std::move(fd));
  }
}

void LittleServer::serve(int fd) {
  std::string unread;
  Asked asked;
  while (take_request(fd, unread, asked)) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(asked);
    }
    answer_(asked, Wire(fd));
  }
}

std::string LittleServer::url(std::string_view path) const { return cat("http://127.0.0.1:", port_, path); }

std::vector<Asked> LittleServer::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

std::size_t LittleServer::connections() const {
  const std::lock_guard lock(mutex_);
  return sockets_.size();
}

std::string http_answer(int status, std::string_view body, std::string_view type, std::string_view more_headers) {
  return cat("HTTP/1.1 ", status, " Said\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(), "\r\n",
             more_headers, "\r\n", body);
}

FileDescriptor listening_socket(std::string& port) {
  auto fd = bound_socket(port);
  CHECK(listen(fd.get(), 16) == 0);
  return fd;
}

std::string unused_port() {
  std::string port;
  bound_socket(port);
  return port;
}

}  // namespace townpost
