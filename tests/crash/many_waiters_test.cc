// Many processes that wait: what happens wakes those it concerns, and nobody else.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/text.h"
#include "crash/running_gt.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

const int kWaiters = stress(400, 160);  // inotify would end at 128

/// How often the process gave its processor away to wait.
std::int64_t sleeps_of(int pid) {
  std::ifstream status(cat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("voluntary_ctxt_switches:")) return std::atoll(line.c_str() + line.find(':') + 1);
  return -1;
}

bool sleeps(int pid) {
  std::ifstream stat(cat("/proc/", pid, "/stat"));
  std::string line;
  std::getline(stat, line);
  return line.find(") S ") != std::string::npos;
}

/// Until everybody has an ear and sleeps: what they do then, they were woken for.
void await_sleep(const TestTown& town, std::vector<RunningGt>& waiters) {
  const auto ears = [&] {
    std::size_t number = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(town.folder() / ".town/run/ear"))
      if (entry.is_fifo()) ++number;
    return number;
  };
  const auto all_sleep = [&] {
    return std::all_of(waiters.begin(), waiters.end(), [](const RunningGt& one) { return sleeps(one.pid()); });
  };
  while (!std::filesystem::exists(town.folder() / ".town/run/ear") || ears() < waiters.size() || !all_sleep())
    std::this_thread::sleep_for(5ms);
}

TEST(ManyWaiters, AreWokenByWhatConcernsThemOnly) {
  const TestTown town;
  std::string script;
  for (int i = 0; i < kWaiters; ++i) script += cat("\"$GT\" agent add w", i, " -q\n");
  ASSERT_EQ(town.shell(script).exit_code, 0);
  std::vector<RunningGt> waiters;
  for (int i = 0; i < kWaiters; ++i)
    waiters.push_back(RunningGt::start({"mail", "wait", "--timeout", "500s", "--as", cat("w", i)}, town.folder()));
  await_sleep(town, waiters);
  std::vector<std::int64_t> before;
  for (auto& waiter : waiters) before.push_back(sleeps_of(waiter.pid()));
  ASSERT_EQ(town.gt({"mail", "send", "w7", "-s", "for you alone"}).exit_code, 0);
  EXPECT_EQ(waiters[7].end().exit_code, 0);
  int woken = 0;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (i == 7) continue;
    EXPECT_TRUE(waiters[i].is_running()) << "w" << i;
    woken += sleeps_of(waiters[i].pid()) != before[i] ? 1 : 0;
  }
  // One that has waited for 15 s looks by itself, in case a ring was lost; with so many that may be the first ones.
  EXPECT_LT(woken, kWaiters / 4) << "others were woken, too";
  for (auto& waiter : waiters)
    if (waiter.is_running()) waiter.signal(SIGKILL);
  for (std::size_t i = 0; i < waiters.size(); ++i)
    if (i != 7) waiters[i].end();
}

}  // namespace
}  // namespace townpost
