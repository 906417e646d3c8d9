#include <algorithm>
#include <future>

#include "base/text.h"
#include "delivery/tmux/session_lock.h"
#include "tmux/lab.h"

namespace townpost {
namespace {

class Together : public TmuxLab {
 protected:
  /// Injects `texts` from another process; how many were not shown and why.
  std::future<std::string> injector(const std::string& uri, Words texts) {
    Words command = {TMUX_INJECTOR, socket().string(), uri, (folder() / "lock").string()};
    command.insert(command.end(), texts.begin(), texts.end());
    return std::async(std::launch::async, [command] {
      const auto output = SystemProcesses().run({.command = command, .input = "", .timeout = std::chrono::minutes(5)});
      return !output ? output.error().message : output->exit_code == 0 ? "" : cat(output->exit_code, ": ", output->out);
    });
  }
};

TEST_F(Together, ManyProcessesMixNothingAndLoseNothing) {
  const auto pane = start_harness("agent");
  Words sent;
  std::vector<std::future<std::string>> injectors;
  for (int process = 0; process < 4; ++process) {
    Words texts;
    for (int i = 0; i < 5; ++i) texts.push_back(cat("from ", process, " number ", i, " ", std::string(60, 'x')));
    sent.insert(sent.end(), texts.begin(), texts.end());
    // By name and by id: the lock is the pane's.
    injectors.push_back(injector(process % 2 == 0 ? "tmux:agent" : "tmux:" + pane, texts));
  }
  for (auto& each : injectors) EXPECT_EQ(each.get(), "");
  auto arrived = prompts("agent");
  std::sort(arrived.begin(), arrived.end());
  std::sort(sent.begin(), sent.end());
  EXPECT_EQ(arrived, sent);
}

TEST_F(Together, OneWaitsOnlySoLongForTheOther) {
  const auto pane = start_harness("agent");
  waits_.sleep = [](Millis) {};
  const auto held = SessionLock::take(folder() / "lock", cat("tmux-", pane), Millis(0), waits_.sleep);
  ASSERT_TRUE(held);
  EXPECT_EQ(text(inject("tmux:agent", "deploy is red")),
            cat("not_started: another process is typing into tmux-", pane));
  EXPECT_EQ(prompts("agent"), Words{});
}

}  // namespace
}  // namespace townpost
