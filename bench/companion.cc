#include "bench/companion.h"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "base/text.h"
#include "bench/command.h"

namespace townpost::bench {

namespace {

using namespace std::chrono_literals;

Child started(const Companion::Plan& plan) {
  std::vector<std::string> words = {"env", "-i"};
  words.insert(words.end(), plan.environment.begin(), plan.environment.end());
  words.insert(words.end(), {"setpriv", "--pdeathsig", "KILL", "--"});
  words.insert(words.end(), plan.words.begin(), plan.words.end());
  auto child = Child::start({.command = words,
                             .environment = {},
                             .folder = plan.folder.string(),
                             .ends = ChildPlan::Ends::log,
                             .log = plan.log.string(),
                             .detached = true});
  if (!child) give_up(child.error().message);
  return std::move(*child);
}

}  // namespace

TemporaryFolder own_folder() {
  auto folder = TemporaryFolder::make("townpost-bench");
  if (!folder) give_up(folder.error().message);
  return std::move(*folder);
}

Companion::Companion(const Plan& plan) : log_(plan.log), child_(started(plan)) {}

Companion::~Companion() {
  ::kill(-child_.pid(), SIGKILL);  // and whatever it has started
  if (!child_.exit_code()) ::waitpid(child_.pid(), nullptr, 0);
}

std::string Companion::await(const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (true) {
    const auto log = read_file(log_).value_or("");
    const auto at = log.find(text);
    const auto end = at == std::string::npos ? at : log.find('\n', at);
    if (end != std::string::npos) return log.substr(at + text.size(), end - at - text.size());
    if (child_.exit_code() || std::chrono::steady_clock::now() > until)
      give_up(cat("it never said \"", text, "\": ", log));
    std::this_thread::sleep_for(10ms);
  }
}

}  // namespace townpost::bench
