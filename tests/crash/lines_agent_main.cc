// An agent that reads JSON lines. What it says it was shown, in one write each, is its log. lines_agent PIDFILE
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "base/json.h"

namespace {

void say(const townpost::JsonObject& event) {
  const auto line = townpost::to_line(event) + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(1);
}

}  // namespace

int main(int, char** words) {
  std::ofstream(words[1]) << ::getpid() << "\n";
  say({{"type", "idle"}});
  for (std::string line; std::getline(std::cin, line);) {
    say({{"type", "busy"}});
    ::usleep(2000);  // somebody may be killed now
    auto told = townpost::parse_json(line);
    if (!told) return 2;
    say({{"type", "shown"}, {"text", told->at("text")}});
    ::usleep(2000);
    say({{"type", "idle"}});
  }
}
