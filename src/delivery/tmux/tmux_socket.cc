#include "delivery/tmux/tmux_socket.h"

#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "delivery/tmux/tmux.h"
#include "post/town/machine.h"

namespace townpost {

namespace {

namespace fs = std::filesystem;

/// As tmux makes it: links in the folder's name are followed first, and a folder that is not there does not count.
std::string socket_in(const std::string& folder) {
  std::error_code error;
  const auto real = fs::canonical(folder, error);
  return error ? std::string() : (real / cat("tmux-", ::getuid()) / "default").string();
}

}  // namespace

std::string usual_tmux_socket() {
  const auto usual = socket_in("/tmp");
  return usual.empty() ? cat("/tmp/tmux-", ::getuid(), "/default") : usual;
}

std::string tmux_socket_here(const Environment& environment) {
  std::string socket;
  if (const auto inside = environment.get("TMUX")) {
    socket = inside->substr(0, inside->find(','));
  } else if (const auto folder = environment.get("TMUX_TMPDIR")) {
    socket = socket_in(*folder);
  }
  return socket == usual_tmux_socket() ? std::string() : socket;
}

std::string stored_tmux_uri(std::string_view uri, const Environment& environment) {
  const auto target = TmuxTarget::parse(uri);
  if (!target) return std::string(uri);
  const bool usual = target->socket.empty() || target->socket == usual_tmux_socket();
  return tmux_uri(target->socket.empty() ? tmux_socket_here(environment) : usual ? "" : target->socket, target->str());
}

}  // namespace townpost
