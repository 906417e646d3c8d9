#include "tmux/lab.h"

#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "support/await.h"

namespace townpost {

TmuxLab::~TmuxLab() { (void)processes_.run({.command = {"tmux", "-S", socket().string(), "kill-server"}}); }

std::string TmuxLab::tmux(const Words& words, const std::string& input) {
  Words command = {"tmux", "-u", "-f", "/dev/null", "-S", socket().string()};
  command.insert(command.end(), words.begin(), words.end());
  auto output = processes_.run({.command = command, .input = input, .timeout = std::chrono::seconds(60)});
  if (!output) throw std::runtime_error(output.error().message);
  if (output->exit_code != 0) throw std::runtime_error(cat("tmux ", words.front(), ": ", output->err));
  if (output->out.ends_with('\n')) output->out.pop_back();
  return output->out;
}

std::string TmuxLab::start(const std::string& session, const Words& command) {
  Words words = {"new-session", "-d", "-s", session, "-x", "100", "-y", "30", "-P", "-F", "#{pane_id}"};
  words.insert(words.end(), command.begin(), command.end());
  return tmux(words);
}

std::string TmuxLab::start_harness(const std::string& session, const Words& options) {
  Words command = {FAKE_HARNESS, log(session).string()};
  command.insert(command.end(), options.begin(), options.end());
  const auto pane = start(session, command);
  const auto& first = options.empty() ? std::string() : options.front();
  wait_for(pane, first == "slow-start" ? "Loading"
                 : first == "dialog"   ? "Tab to amend"
                 : first == "busy"     ? "interrupt"
                                       : "shortcuts");
  return pane;
}

void TmuxLab::wait_for(const std::string& pane, const std::string& text) {
  await(
      cat("the pane shows \"", text, "\""), [&] { return screen(pane).find(text) != std::string::npos; },
      [&] { return cat("\n", screen(pane)); });
}

std::int64_t TmuxLab::pid(const std::string& pane) {
  return std::stoll(tmux({"display-message", "-p", "-t", pane, "#{pane_pid}"}));
}

TmuxLab::Words TmuxLab::logged(const std::string& session, const std::string& kind) {
  const auto all = read_file(log(session)).value_or("");
  Words found;
  for (std::size_t at = 0; at < all.size();) {
    const auto line_end = all.find('\n', at);
    const auto head = all.substr(at, line_end - at);
    const auto length = std::stoul(head.substr(head.find(' ') + 1));
    if (head.starts_with(kind + " ")) found.push_back(all.substr(line_end + 1, length));
    at = line_end + 1 + length + 1;
  }
  return found;
}

TmuxSession TmuxLab::session(const std::string& uri, const std::string& harness) {
  auto place = place_;
  place.target = TmuxTarget::parse(uri).value();
  place.server.socket_path = socket().string();
  place.profile = harness_profile(harness).value();
  place.locks = folder() / "lock";
  return TmuxSession(processes_, random_, place, waits_);
}

Injected TmuxLab::inject(const std::string& uri, const std::string& text, Injection::At at) {
  return session(uri).inject({.text = text, .ids = {}, .at = at});
}

std::string text(const Injected& injected) {
  switch (injected.outcome) {
    case Injected::Outcome::shown:
      return "shown";
    case Injected::Outcome::handed:
      return cat("handed: ", injected.detail);
    case Injected::Outcome::not_started:
      return cat("not_started: ", injected.detail);
    case Injected::Outcome::failed:
      break;
  }
  return cat("failed: ", injected.detail);
}

std::string text(const SessionLook& look) {
  switch (look.state) {
    case SessionState::idle:
      return "idle";
    case SessionState::busy:
      return "busy";
    case SessionState::blocked:
      return "blocked";
    case SessionState::typing:
      return cat("typing: ", look.detail);
    case SessionState::starting:
      return "starting";
    case SessionState::gone:
      return cat("gone: ", look.detail);
    case SessionState::shut:
      return cat("shut: ", look.detail);
    case SessionState::silent:
      return cat("silent: ", look.detail);
    case SessionState::unknown:
      break;
  }
  return cat("unknown: ", look.detail);
}

}  // namespace townpost
