#include "tmux/attached_client.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace townpost {

AttachedClient::AttachedClient(const std::filesystem::path& socket, const std::string& session) {
  const std::string socket_path = socket.string();
  const std::string target = "=" + session;
  const winsize size{.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  child_ = forkpty(&master, nullptr, nullptr, &size);
  if (child_ < 0) throw std::runtime_error("there is no terminal to be had");
  if (child_ == 0) {
    setenv("TERM", "xterm-256color", 1);  // NOLINT(concurrency-mt-unsafe): this process has one thread
    execlp("tmux", "tmux", "-u", "-S", socket_path.c_str(), "attach-session", "-t", target.c_str(), nullptr);
    _exit(127);
  }
  terminal_ = FileDescriptor(master);
  if (!comes_to_see("[" + session)) throw std::runtime_error("the client did not attach: " + seen_);
}

AttachedClient::~AttachedClient() {
  kill(child_, SIGHUP);
  waitpid(child_, nullptr, 0);
}

void AttachedClient::type(const std::string& keys) {
  if (write(terminal_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("the terminal takes no keys");
}

bool AttachedClient::comes_to_see(const std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (seen_.find(text) == std::string::npos) {
    pollfd watched{.fd = terminal_.get(), .events = POLLIN, .revents = 0};
    char buffer[4096];
    if (std::chrono::steady_clock::now() > end) return false;
    if (poll(&watched, 1, 100) <= 0) continue;
    const auto got = read(terminal_.get(), buffer, sizeof buffer);
    if (got <= 0) return false;
    seen_.append(buffer, static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace townpost
