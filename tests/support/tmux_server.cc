#include "support/tmux_server.h"

#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "support/await.h"

namespace townpost {

namespace {

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string file_text(const std::filesystem::path& path) { return read_file(path).value_or(""); }

}  // namespace

TmuxServer::TmuxServer(const TestTown& town) : town_(town) {}

TmuxServer::~TmuxServer() { (void)tmux({"kill-server"}); }

ProcessOutput TmuxServer::tmux(const TestTown::Words& words) const {
  TestTown::Words command = {"tmux", "-f", "/dev/null"};
  command.insert(command.end(), words.begin(), words.end());
  auto output = SystemProcesses().run({.command = command,
                                       .input = "",
                                       .environment = clean_environment(town_.folder(), variables()),
                                       .folder = town_.folder().string(),
                                       .timeout = std::chrono::seconds(60)});
  if (!output) throw std::runtime_error(output.error().message);
  return *output;
}

void TmuxServer::end() const {
  // It answers a little longer than it lives.
  await("the tmux server ends", [&] { return tmux({"kill-server"}).err.find("no server") != std::string::npos; });
}

std::string TmuxServer::uri(const std::string& name) const {
  return cat("tmux:", std::filesystem::canonical(town_.folder()).string(), "/tmux-", ::getuid(), "/default/", name);
}

std::string TmuxServer::start_session(const std::string& name, const std::string& command) {
  const auto started =
      tmux({"new-session", "-d", "-s", name, "-x", "120", "-y", "40", "-P", "-F", "#{pane_id}", command});
  if (started.exit_code != 0) throw std::runtime_error(started.err);
  return std::string(trim(started.out));
}

ProcessOutput TmuxServer::gt_in_pane(const std::string& pane, const TestTown::Words& words,
                                     const TestTown::Variables& variables) {
  std::string command = gt_program();
  for (const auto& word : words) command += cat(" ", shell_word(word));
  return shell_in_pane(pane, command, variables);
}

ProcessOutput TmuxServer::shell_in_pane(const std::string& pane, const std::string& command,
                                        const TestTown::Variables& variables) {
  const auto place = town_.folder() / cat("pane-run-", ++runs_);
  std::filesystem::create_directories(place);
  std::string script;
  for (const auto& [name, value] : variables) script += cat("export ", name, "=", shell_word(value), "; ");
  script += command;
  const std::string at = shell_word(place.string());
  script += cat(" >", at, "/out 2>", at, "/err; echo $? >", at, "/code; tmux wait-for -S ", at, "; exec cat");
  const auto began = tmux({"respawn-pane", "-k", "-t", pane, "-c", town_.folder().string(), script});
  if (began.exit_code != 0) throw std::runtime_error(began.err);
  const auto ended = tmux({"wait-for", place.string()});
  if (ended.exit_code != 0) throw std::runtime_error(ended.err);
  return {.exit_code = std::stoi(file_text(place / "code")),
          .out = file_text(place / "out"),
          .err = file_text(place / "err")};
}

}  // namespace townpost
