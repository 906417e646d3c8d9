// Injects texts one after the other, as a process of its own.
// usage: tmux_injector SOCKET URI LOCK-FOLDER TEXT…        exit code: how many were not shown
#include <iostream>

#include "base/process.h"
#include "base/random.h"
#include "delivery/tmux/tmux_session.h"

int main(int count, char** words) {
  using namespace townpost;  // NOLINT(google-build-using-namespace)
  if (count < 5) return 2;
  SystemProcesses processes;
  SystemRandom random;
  TmuxSession session(processes, random,
                      {.target = TmuxTarget::parse(words[2]).value(),
                       .server = {.socket_path = words[1], .socket_name = ""},
                       .pid = std::nullopt,
                       .profile = harness_profile("claude").value(),
                       .locks = words[3],
                       .own_triggers = {}},
                      {.between_looks = Millis(5),
                       .settle = Millis(5),
                       .first_look = Millis(5),
                       .next_look = Millis(10),
                       .looks = 500,
                       .lock = std::chrono::seconds(60)});
  int not_shown = 0;
  for (int i = 4; i < count; ++i) {
    const auto injected = session.inject({.text = words[i], .ids = {}, .at = Injection::At::idle});
    if (injected.outcome == Injected::Outcome::shown) continue;
    std::cout << words[i] << ": " << injected.detail << "\n";
    ++not_shown;
  }
  return not_shown;
}
