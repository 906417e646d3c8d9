#include "agents/claude_town.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/process_tree.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

std::string ClaudeTown::tmux(Words words) const {
  words.insert(words.begin(), "tmux");
  const auto done = stage.run(words);
  if (done.exit_code != 0) throw std::runtime_error(cat(join(words, " "), ": ", done.err));
  return std::string(trim(done.out));
}

std::string ClaudeTown::nudge(const std::string& text, const Words& more) const {
  Words words = {"nudge", "coder", "-m", text};
  words.insert(words.end(), more.begin(), more.end());
  return text_at(items_of(coder.gt(words)).at(0), "id");
}

void ClaudeTown::expect_delivered_once(const std::string& id) const {
  stage.await_told(id);
  coder.await_delivered(id);
  const auto nudge = coder.gt({"nudge", "show", id});
  const auto history = to_line(coder.gt({"nudge", "explain", id}));
  EXPECT_EQ(text_at(nudge, "state"), "delivered") << history;
  EXPECT_NE(text_at(nudge, "evidence"), "") << history;
  EXPECT_EQ(stage.times_told(id), 1) << history;
}

std::string ClaudeTown::turn_with(const std::string& words) const {
  for (const auto& request : stage.requests())
    if (request.text.find(words) != std::string::npos) return request.text;
  return "";
}

void ClaudeTown::turn(const std::string& prompt, const Words& more) {
  begin_turn(prompt, more);
  await_end_of_turn();
}

void ClaudeTown::begin_turn(const std::string& prompt, const Words& more) {
  Words command = {"sh", "-c", "\"$@\"; echo; echo \"exited $?\"", "sh", stage.claude(), "-p", prompt};
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"--allowedTools", "Bash"});
  ++turns_;
  stage.start(command, turn_log(), as_coder());
}

std::string ClaudeTown::turn_log() const { return cat("turn-", turns_); }

void ClaudeTown::await_end_of_turn() const {
  stage.await("the turn ends", [this] { return stage.log(turn_log()).find("\nexited ") != std::string::npos; });
}

std::string ClaudeTown::gate_at(const std::string& words) const {
  return cat(R"({"when":")", words, R"(","once":true,"tool":{"name":"Bash","input":{"command":")",
             "touch at-the-gate; until [ -e gate-is-open ]; do sleep 0.1; done; echo the gate opened",
             R"(","description":"waits"}}})");
}

void ClaudeTown::await_at_gate() const {
  stage.await("its tool runs", [this] { return fs::exists(stage.town().folder() / "at-the-gate"); });
}

void ClaudeTown::open_gate() const { std::ofstream(stage.town().folder() / "gate-is-open") << "\n"; }

int ClaudeTown::process_in(const ClaudePane& claude) const {
  return std::stoi(tmux({"display-message", "-p", "-t", claude.pane(), "#{pane_pid}"}));
}

void ClaudeTown::kill_program(int process) const {
  const int parent = parent_of(process);
  if (::kill(process, SIGKILL) != 0) throw std::runtime_error(cat("there is no process ", process));
  stage.await("it is gone", [&] { return !look_at(process) || is_zombie(process); });
  // tmux 3.3a misses the end of what it started now and then, until something else ends.
  if (parent > 1) ::kill(parent, SIGCHLD);
}

std::vector<int> ClaudeTown::waiters() const {
  std::vector<int> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto words = read_file(entry.path() / "cmdline").value_or("");
    const bool waits = words.find(std::string("signal\0claude\0wait", 18)) != std::string::npos;
    if (waits && fs::read_symlink(entry.path() / "cwd", none) == stage.town().folder()) out.push_back(std::stoi(name));
  }
  return out;
}

void ClaudeTown::await_waiter() const {
  stage.await("one process waits to wake the session", [this] { return waiters().size() == 1; });
}

}  // namespace townpost
