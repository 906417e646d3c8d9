#include "delivery/tmux/window.h"

#include "base/text.h"
#include "delivery/tmux/tmux_socket.h"
#include "post/town/machine.h"

namespace townpost {

namespace {

using Words = std::vector<std::string>;

/// tmux reads a word that ends in a semicolon as the end of a command.
std::string as_word(std::string word) {
  if (word.ends_with(';')) word.insert(word.size() - 1, "\\");
  return word;
}

/// Folders are formats to tmux.
std::string as_format(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '#' ? "##" : std::string(1, c);
  return out;
}

/// Runs tmux on the server that it takes itself where we are, and starts if it is not there. Error: not_found without
/// tmux; unavailable with what tmux says.
Result<std::string> tmux(Processes& processes, Words words) {
  words.insert(words.begin(), {"tmux", "-u"});
  TRY(output, processes.run({.command = words}));
  if (output.exit_code == 0 && output.err.empty()) return std::string(trim(output.out));
  return fail(Code::unavailable, cat("tmux: ", for_terminal_line(trim(output.err))));
}

}  // namespace

Result<OpenedWindow> open_window(const WindowPlan& plan, const Environment& environment, Processes& processes) {
  const bool inside = !environment.get("TMUX").value_or("").empty();
  Words words;
  if (inside)
    words = {"new-window", "-d"};
  else if (tmux(processes, {"has-session", "-t", cat("=", plan.session)}))
    words = {"new-window", "-d", "-t", cat("=", plan.session, ":")};
  else
    words = {"new-session", "-d", "-s", plan.session, "-x", "200", "-y", "50"};
  words.insert(words.end(), {"-P", "-F", "#{pane_id} #{session_name}", "-n", plan.name, "-c", as_format(plan.folder)});
  for (const auto& [name, value] : plan.environment) words.insert(words.end(), {"-e", as_word(cat(name, "=", value))});
  words.emplace_back("--");
  for (const auto& word : plan.command) words.push_back(as_word(word));
  TRY(printed, tmux(processes, words));
  const auto space = printed.find(' ');
  if (!printed.starts_with('%') || space == std::string::npos)
    return fail(Code::unavailable, cat("tmux opened no window: ", for_terminal_line(printed)));
  OpenedWindow out{.session = printed.substr(space + 1), .pane = printed.substr(0, space), .uri = {}};
  out.uri = tmux_uri(tmux_socket_here(environment), out.pane);
  // A program that fails leaves its last words to be read.
  (void)tmux(processes, {"set-option", "-p", "-t", out.pane, "remain-on-exit", "failed"});
  return out;
}

PaneNow look_at_pane(const OpenedWindow& window, Processes& processes) {
  PaneNow out;
  const auto state = tmux(processes, {"display-message", "-p", "-t", window.pane, "#{pane_id} #{pane_dead}"});
  if (!state || !state->starts_with(cat(window.pane, " "))) return out;
  out.there = true;
  out.dead = state->ends_with('1');
  // To say that the program has ended, tmux scrolls its last words up by a line.
  if (const auto text = tmux(processes, {"capture-pane", "-p", "-S", "-20", "-t", window.pane})) out.text = *text;
  return out;
}

}  // namespace townpost
