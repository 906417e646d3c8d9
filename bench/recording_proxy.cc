#include "bench/recording_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>

#include "bench/command.h"

namespace townpost::bench {

namespace {

sockaddr_in loopback(const std::string& port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
  return place;
}

FileDescriptor listening_socket(std::string& port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto place = loopback("0");
  socklen_t size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  if (::bind(fd.get(), address, size) != 0 || ::listen(fd.get(), 16) != 0 ||
      ::getsockname(fd.get(), address, &size) != 0)
    give_up("no port for a proxy");
  port = std::to_string(ntohs(place.sin_port));
  return fd;
}

void send_at_once(const FileDescriptor& fd) {
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(const FileDescriptor& fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

RecordingProxy::RecordingProxy(std::string server_port)
    : server_port_(std::move(server_port)),
      listener_(listening_socket(port_)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

RecordingProxy::~RecordingProxy() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

RecordingProxy::Accepted RecordingProxy::take() {
  const std::lock_guard lock(mutex_);
  const auto found = std::exchange(accepted_, {});
  if (found.size() != 1) give_up("the server did not accept exactly one prompt");
  return found.front();
}

void RecordingProxy::run() {
  while (true) {
    std::vector<pollfd> watched = {{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                                   {.fd = listener_.get(), .events = POLLIN, .revents = 0}};
    for (const auto& line : lines_)
      for (const auto* end : {&line.client, &line.server})
        watched.push_back({.fd = end->get(), .events = POLLIN, .revents = 0});
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[0].revents != 0) return;
    std::size_t at = 2;
    for (auto line = lines_.begin(); line != lines_.end(); at += 2) {
      const bool open =
          (watched[at].revents == 0 || pass_on(*line, true)) && (watched[at + 1].revents == 0 || pass_on(*line, false));
      line = open ? std::next(line) : lines_.erase(line);
    }
    if (watched[1].revents != 0) accept_one();
  }
}

void RecordingProxy::accept_one() {
  Line line{FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
            FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), ""};
  const auto place = loopback(server_port_);
  if (::connect(line.server.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) return;
  send_at_once(line.client);
  send_at_once(line.server);
  lines_.push_back(std::move(line));
}

/// Clients ask one thing at a time, so what comes back is the answer to what was asked last.
bool RecordingProxy::pass_on(Line& line, bool from_client) {
  std::array<char, 65536> piece{};
  const auto got = ::recv((from_client ? line.client : line.server).get(), piece.data(), piece.size(), 0);
  if (got <= 0) return false;
  const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
  if (from_client) {
    if (!line.prompt.empty() || bytes.substr(0, bytes.find('\r')).find("/prompt_async ") != std::string_view::npos)
      line.prompt += bytes;
  } else if (!line.prompt.empty()) {
    if (bytes.starts_with("HTTP/1.1 2")) {
      const auto now = std::chrono::steady_clock::now();
      const std::lock_guard lock(mutex_);
      accepted_.push_back({now, line.prompt.substr(line.prompt.find("\r\n\r\n") + 4)});
    }
    line.prompt.clear();
  }
  return send_all(from_client ? line.server : line.client, bytes);
}

}  // namespace townpost::bench
