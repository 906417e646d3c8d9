#include "delivery/tmux/jump.h"

#include <filesystem>

namespace townpost {

namespace {

/// The socket of the tmux server that we run in; empty if we run in none.
std::string server_around(const Environment& environment) {
  const auto inside = environment.get("TMUX").value_or("");
  return inside.substr(0, inside.find(','));
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  return one == other || (std::filesystem::equivalent(one, other, error) && !error);
}

}  // namespace

Jump jump_to(const PanePlace& place, const Environment& environment) {
  const auto around = server_around(environment);
  const bool same = !around.empty() && is_same_file(around, place.socket);
  Jump out{.kind = same ? Jump::Kind::switched : Jump::Kind::attached,
           .command = {"tmux", "-S", place.socket},
           .leaves_tmux = !same && !around.empty()};
  // A client shows the current pane of a session's current window, so both are made current first.
  for (const auto* word : {"select-window", "select-pane"})
    out.command.insert(out.command.end(), {word, "-t", place.pane, ";"});
  out.command.insert(out.command.end(), {same ? "switch-client" : "attach-session", "-t", place.pane});
  return out;
}

}  // namespace townpost
