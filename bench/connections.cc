#include "bench/connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>

#include "base/text.h"
#include "bench/command.h"

namespace townpost::bench {

FileDescriptor connected_to(std::uint16_t port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) give_up("no connection");
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void say(const FileDescriptor& fd, std::string_view bytes) {
  if (::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    give_up("a request could not be sent");
}

std::string hear(const FileDescriptor& fd) {
  std::array<char, 16'384> piece{};
  const auto got = ::recv(fd.get(), piece.data(), piece.size(), 0);
  if (got <= 0) give_up("the server hung up");
  return {piece.data(), static_cast<std::size_t>(got)};
}

Connections::Connections(std::uint16_t port, std::size_t number, Language language)
    : language_(std::move(language)), poll_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (std::size_t i = 0; i < number; ++i) {
    all_.push_back({connected_to(port), ""});
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, all_.back().socket.get(), &event);
    if (!language_.greeting.empty()) say(all_.back().socket, language_.greeting);
  }
}

double Connections::rate(std::size_t requests) {
  std::size_t asked = 0, answered = 0;
  const auto ask = [&](std::size_t number) {
    say(all_[number].socket, language_.request(number, asked_ever_++));
    ++asked;
  };
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < all_.size() && asked < requests; ++i) ask(i);
  std::array<epoll_event, 64> events{};
  while (answered < asked) {
    const int ready = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), 60'000);
    if (ready <= 0) give_up("no answer");
    for (std::size_t i = 0; i < static_cast<std::size_t>(ready); ++i) {
      auto& one = all_[events[i].data.u64];
      one.heard += hear(one.socket);
      const auto size = language_.answer(one.heard);
      if (size == 0) continue;
      one.heard.erase(0, size);
      ++answered;
      if (asked < requests) ask(events[i].data.u64);
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(answered) / took.count();
}

}  // namespace townpost::bench
