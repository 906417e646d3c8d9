#include "net/http_core.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <ctime>
#include <utility>

#include "net/http_connection.h"
#include "net/response_text.h"
#include "net/transport.h"

namespace townpost {

namespace {

constexpr auto kSpared = std::chrono::seconds(1);
constexpr std::size_t kMostTurnedAway = 64;

std::string address_of_peer(int fd) {
  sockaddr_storage place{};
  socklen_t size = sizeof place;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&place), &size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (place.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(place);
    inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  } else if (place.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(place);
    // A socket for both kinds gives those of the older one in another dress.
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
      inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], text.data(), text.size());
    else
      inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace

bool InFlight::enter(const std::string& peer) {
  const MutexLock lock(mutex_);
  auto& count = counts_[peer];
  if (count >= most_) return false;
  ++count;
  return true;
}

void InFlight::leave(const std::string& peer) {
  const MutexLock lock(mutex_);
  const auto found = counts_.find(peer);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

void HttpCore::accepted(FileDescriptor fd) {
  count_accepted.fetch_add(1, std::memory_order_relaxed);
  std::shared_ptr<const TlsIdentity> who;
  {
    const MutexLock lock(mutex);
    who = identity;
  }
  const bool is_full = connections.size() - leaving >= limits.connections && !make_room();
  if (is_full && (who || leaving >= kMostTurnedAway)) {
    count_refused.fetch_add(1, std::memory_order_relaxed);
    if (!who)
      plain_transport(fd.get())->write(response_text(refusal(503, "there are too many connections: try again soon"),
                                                     {.after = ResponseFrame::After::close}, date()));
    return;
  }
  // An answer leaves as one piece: to wait for more could only delay it.
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto transport = who ? who->transport(fd.get()) : plain_transport(fd.get());
  if (!transport) return;
  auto address = address_of_peer(fd.get());
  const auto connection =
      std::make_shared<HttpConnection>(shared_from_this(), std::move(fd), std::move(transport),
                                       HttpConnection::Client{.address = std::move(address), .secure = who != nullptr});
  connections.add(connection);
  if (is_full)
    connection->turn_away();
  else
    connection->start();
}

bool HttpCore::make_room() {
  using Spared = HttpConnection::Spared;
  const auto at_most = Time::now() - kSpared;
  std::shared_ptr<HttpConnection> best;
  for (const auto& one : connections) {
    if (one->spared() == Spared::no || one->waits_since() > at_most) continue;
    if (!best || one->spared() > best->spared() ||
        (one->spared() == best->spared() && one->waits_since() < best->waits_since()))
      best = one;
  }
  if (!best) return false;
  best->close();
  return true;
}

bool HttpCore::make_room_to_answer(std::size_t bytes) {
  const auto at_most = Time::now() - kSpared;
  while (answers > 0 && answers + bytes > limits.answers) {
    std::shared_ptr<HttpConnection> worst;
    for (const auto& one : connections)
      if (one->answers_since() <= at_most && (!worst || one->left_of_answer() > worst->left_of_answer())) worst = one;
    if (!worst || worst->left_of_answer() == 0) return false;
    worst->close();
  }
  return true;
}

void HttpCore::sweep() {
  if (const auto next = connections.sweep([](HttpConnection& late) { late.overdue(); })) alarm->ring_at(*next);
}

HttpResponse HttpCore::refusal(int status, std::string_view why) {
  HttpResponse response;
  try {
    response = handler->refusal(status, why);
  } catch (...) {
    loop->tell_trouble("a refusal threw something");
  }
  response.status = status;
  return response;
}

const std::string& HttpCore::date() {
  const auto now = std::time(nullptr);
  if (now != date_of_) {
    date_of_ = now;
    date_ = http_date(now);
  }
  return date_;
}

void HttpCore::begin_to_stop(Millis idle) {
  if (listener) listener->close();
  listener.reset();
  is_stopping = true;
  for (const auto& one : connections.all()) one->wind_down(idle);
}

void HttpCore::end_all() {
  for (const auto& one : connections.all()) one->close();
}

}  // namespace townpost
