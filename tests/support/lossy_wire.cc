#include "support/lossy_wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr auto kMoment = std::chrono::milliseconds(400);
constexpr const char* kSocket = ".s.PGSQL.5432";

std::string host_of(const std::string& url) {
  const auto at = url.find("host=");
  if (at == std::string::npos) throw std::runtime_error("the url names no socket");
  return url.substr(at + 5, url.find('&', at) - at - 5);
}

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof(address.sun_path)) throw std::runtime_error("the socket's path is too long");
  std::strcpy(address.sun_path, path.c_str());
  return address;
}

bool send_all(int to, const char* data, std::size_t size) {
  while (size > 0) {
    const auto sent = ::send(to, data, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

TemporaryFolder own_folder() {
  auto made = TemporaryFolder::make("wire");
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

}  // namespace

LossyWire::LossyWire(std::string url)
    : folder_(own_folder()),
      server_url_(std::move(url)),
      server_folder_(host_of(server_url_)),
      listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const auto address = address_of(folder_.path() / kSocket);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener_, 64) != 0)
    throw std::runtime_error("cannot listen");
  acceptor_ = std::thread([this] { accept_all(); });
}

LossyWire::~LossyWire() {
  ended_ = true;
  acceptor_.join();
  for (auto& carrier : carriers_) carrier.join();
  ::close(listener_);
}

std::string LossyWire::url() const {
  std::string out = server_url_;
  return out.replace(out.find(server_folder_), server_folder_.size(), folder_.path().string());
}

void LossyWire::break_at(const std::string& word, Break how) {
  const std::lock_guard lock(mutex_);
  word_ = word;
  how_ = how;
}

void LossyWire::accept_all() {
  while (!ended_) {
    pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = address_of(fs::path(server_folder_) / kSocket);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(client);
      ::close(server);
      continue;
    }
    carriers_.emplace_back([this, client, server] { carry(client, server); });
  }
}

bool LossyWire::pass_on(int from, int to, int client, int server) {
  char data[65536];
  const auto size = ::recv(from, data, sizeof(data), 0);
  if (size <= 0) return false;
  const std::string_view text(data, static_cast<std::size_t>(size));
  auto how = Break::never;
  if (from == client) {
    const std::lock_guard lock(mutex_);
    if (!word_.empty() && text.find(word_) != std::string_view::npos) std::swap(how, how_);
  }
  if (how == Break::never) return send_all(to, text.data(), text.size());
  if (how == Break::before_client_hears) {
    send_all(server, text.data(), text.size());
    (void)!::recv(server, data, sizeof(data), 0);
    return false;
  }
  ::shutdown(client, SHUT_RDWR);
  if (how == Break::before_server_hears) {
    while (!ended_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } else {
    std::this_thread::sleep_for(kMoment);
    if (how == Break::server_hears_late) {
      send_all(server, text.data(), text.size());
      (void)!::recv(server, data, sizeof(data), 0);
    }
  }
  return false;
}

void LossyWire::carry(int client, int server) {
  bool whole = true;
  bool client_spoke_last = false;
  while (whole && !ended_) {
    pollfd ends[2] = {{.fd = client, .events = POLLIN, .revents = 0}, {.fd = server, .events = POLLIN, .revents = 0}};
    if (::poll(ends, 2, 20) <= 0) continue;
    if (ends[0].revents != 0) {
      if (!std::exchange(client_spoke_last, true)) ++round_trips_;
      whole = pass_on(client, server, client, server);
    }
    if (whole && ends[1].revents != 0) {
      client_spoke_last = false;
      whole = pass_on(server, client, client, server);
    }
  }
  ::close(client);
  ::close(server);
}

}  // namespace townpost
