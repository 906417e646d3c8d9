#include "server/trials/load.h"

#include <poll.h>

#include <algorithm>

#include "base/text.h"
#include "net/http_client.h"

namespace townpost {

using namespace std::chrono_literals;

Senders::Senders(const Whereabouts& where, std::string token, std::vector<std::string> to, int number)
    : where_(where), token_(std::move(token)), to_(std::move(to)) {
  for (int i = 0; i < number; ++i) threads_.emplace_back([this, i] { send_until_ended(i); });
}

void Senders::end() {
  ends_ = true;
  threads_.clear();
}

std::set<std::string> Senders::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

void Senders::send_until_ended(int sender) {
  HttpClient client;
  for (int n = 0; !ends_; ++n) {
    const auto subject = cat(sender, "-", n);
    const auto& to = to_[static_cast<std::size_t>(sender + 31 * n) % to_.size()];
    while (!ends_) {
      const auto answer =
          client.exchange({.method = "POST",
                           .url = where_.url() + "/api/mail",
                           .body = cat(R"({"to":")", to, R"(","subject":")", subject, R"(","body":"there"})"),
                           .headers = {{"Authorization", "Bearer " + token_}, {"Content-Type", "application/json"}},
                           .timeout = 30s});
      if (answer && answer->status == 201) {
        const std::lock_guard lock(mutex_);
        acknowledged_.insert(subject);
        ++count_;
      }
      const bool not_now = answer && (answer->status == 429 || answer->status == 503);
      if (!answer) ++unanswered_;
      const bool not_sent = !answer && answer.error().code == Code::unavailable;
      if (!not_now && !not_sent) break;
      std::this_thread::sleep_for(5ms);
    }
  }
}

Followers::Followers(const Whereabouts& where, const std::vector<std::string>& tokens, std::int64_t after)
    : where_(where) {
  for (const auto& token : tokens) all_.emplace_back(token, after);
  thread_ = std::jthread([this] { follow_until_ended(); });
}

Followers::~Followers() { ends_ = true; }

bool Followers::have_come_to(const std::vector<std::int64_t>& ends) const {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].last < ends[i]) return false;
  return true;
}

std::vector<std::vector<std::int64_t>> Followers::end() {
  ends_ = true;
  thread_.join();
  std::vector<std::vector<std::int64_t>> out;
  for (auto& one : all_) out.push_back(std::move(one.told));
  return out;
}

void Followers::open(One& one) {
  auto stream = EventStream::open(
      {.url = where_.url() + "/api/events?kind=mail_received",
       .headers = {{"Authorization", "Bearer " + one.token}, {"Last-Event-ID", std::to_string(one.last.load())}},
       .timeout = 30s});
  if (!stream) return;
  one.stream.emplace(std::move(*stream));
  ++opened_;
}

void Followers::follow_until_ended() {
  std::vector<pollfd> watched(all_.size());
  while (!ends_) {
    bool some_are_shut_out = false;
    for (std::size_t i = 0; i < all_.size() && !ends_; ++i) {
      auto& one = all_[i];
      if (!one.stream && !some_are_shut_out) open(one);  // while the server is away, one try is enough
      some_are_shut_out = some_are_shut_out || !one.stream;
      watched[i] = {.fd = one.stream ? one.stream->fd() : -1, .events = POLLIN, .revents = 0};
    }
    ::poll(watched.data(), watched.size(), some_are_shut_out ? 5 : 50);
    for (auto& one : all_) {
      if (!one.stream) continue;
      while (true) {
        auto events = one.stream->read();
        if (!events) {
          one.stream.reset();
          break;
        }
        for (const auto& event : *events) {
          if (event.type == "connected") continue;
          one.last = std::stoll(event.id);
          one.told.push_back(event.type == "mail_received" ? one.last.load() : -1);
        }
        if (!one.stream->has_more()) break;
      }
    }
  }
}

}  // namespace townpost
