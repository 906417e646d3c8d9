// Many processes that wait: what happens wakes those it concerns, and nobody else.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include "base/child.h"
#include "base/text.h"
#include "crash/running_gt.h"
#include "post/values/presence.h"
#include "support/await.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

const int kEach = stress(200, 80);  // of two kinds; inotify would end at 128
constexpr int kAtOnce = 1;

/// How often the process gave its processor away to wait.
std::int64_t sleeps_of(int pid) {
  std::ifstream status(cat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("voluntary_ctxt_switches:")) return std::atoll(line.c_str() + line.find(':') + 1);
  return -1;
}

/// How many instances of inotify the process holds. All processes of a user may have 128 together.
int watches_of(int pid) {
  int out = 0;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(cat("/proc/", pid, "/fd"), none))
    out += std::filesystem::read_symlink(file.path(), none) == "anon_inode:inotify" ? 1 : 0;
  return out;
}

bool sleeps(int pid) {
  std::ifstream stat(cat("/proc/", pid, "/stat"));
  std::string line;
  std::getline(stat, line);
  return line.find(") S ") != std::string::npos;
}

/// A town in which many wait: for mail, and beside idle sessions.
class ManyWaiters : public testing::Test {
 protected:
  ManyWaiters() {
    std::string script;
    for (int i = 0; i < kEach; ++i) script += cat("\"$GT\" agent add w", i, " -q; \"$GT\" agent add h", i, " -q\n");
    EXPECT_EQ(town_.shell(script).exit_code, 0);
    note_sessions();
    for (int i = 0; i < kEach; ++i) {
      // Who is in a hurry gives up where very many come in the same moment: that is not what is tried here.
      if (i % kAtOnce == 0) await_sleep();
      mails_.push_back(
          RunningGt::start({"mail", "wait", "--timeout", "900s", "--as", cat("w", i)}, town_.folder(), "/dev/null"));
      hooks_.push_back(
          RunningGt::start({"signal", "claude", "wait", "--as", cat("h", i)}, town_.folder(), event_of(i)));
    }
    await_sleep();
  }
  ~ManyWaiters() override {
    for (auto* all : {&mails_, &hooks_})
      for (auto& one : *all) {
        if (one.is_running()) one.signal(SIGKILL);
        one.end();
      }
  }

  const TestTown& town() const { return town_; }
  RunningGt& mail(int number) { return mails_.at(static_cast<std::size_t>(number)); }
  RunningGt& hook(int number) { return hooks_.at(static_cast<std::size_t>(number)); }

  /// How often each of those who still wait has gone to sleep.
  std::map<int, std::int64_t> sleeps_of_all() {
    std::map<int, std::int64_t> out;
    for (auto* all : {&mails_, &hooks_})
      for (auto& one : *all)
        if (one.is_running()) out[one.pid()] = sleeps_of(one.pid());
    return out;
  }
  int watches_of_all() {
    int out = 0;
    for (auto* all : {&mails_, &hooks_})
      for (auto& one : *all) out += watches_of(one.pid());
    return out;
  }
  std::vector<RunningGt> mails_, hooks_;

 private:
  std::filesystem::path event_of(int number) const { return town_.folder() / cat("event-", number); }
  /// What their hooks would have noted: everybody is idle.
  void note_sessions() const {
    std::map<std::string, std::int64_t> keys;
    const std::string rows = town_.sql("SELECT id || ' ' || address FROM agent");
    for (const auto line : split(rows, '\n')) {
      const auto space = line.find(' ');
      if (space != std::string_view::npos)
        keys[std::string(line.substr(space + 1))] = std::atoll(std::string(line).c_str());
    }
    const PresenceFiles files(town_.folder() / ".town");
    for (int i = 0; i < kEach; ++i) {
      files.write({.agent = {keys[cat("h", i)]},
                   .state = AgentState::idle,
                   .incarnation = cat("session-", i),
                   .harness = Harness::of_word("claude"),
                   .host = host_name(),
                   .started_at = SystemClock().now(),
                   .since = SystemClock().now(),
                   .last_activity = SystemClock().now()});
      std::ofstream(event_of(i)) << R"({"hook_event_name":"Stop","session_id":"session-)" << i << "\"}\n";
    }
  }
  /// Until everybody who was started has an ear and sleeps: what they do then, they were woken for.
  void await_sleep() {
    const auto folder = town_.folder() / ".town/run/ear";
    const auto ears = [&] {
      int number = 0;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) number += entry.is_fifo() ? 1 : 0;
      return number;
    };
    const auto all_sleep = [](std::vector<RunningGt>& all) {
      return std::all_of(all.begin(), all.end(), [](RunningGt& one) {
        if (!one.is_running()) throw std::runtime_error("one of them does not wait: " + one.end().err);
        return sleeps(one.pid());
      });
    };
    if (mails_.empty()) return;
    const int wanted =
        static_cast<int>(mails_.size() + 2 * hooks_.size());  // a hook also waits for news of its session
    await("everybody has an ear and sleeps", [&] {
      return all_sleep(mails_) && all_sleep(hooks_) && std::filesystem::exists(folder) && ears() >= wanted;
    });
  }
  TestTown town_;
};

/// Counted is whatever made one of the others run: a ring, a look of its own, a signal.
TEST_F(ManyWaiters, AreWokenByWhatConcernsThemOnly) {
  const auto before = sleeps_of_all();
  ASSERT_EQ(before.size(), static_cast<std::size_t>(2 * kEach));
  EXPECT_EQ(watches_of_all(), 0) << "who waits hears its ear, and watches no folder";
  const std::vector<int> concerned = {7, 3, 11, 19};
  for (const int who : concerned) {
    EXPECT_EQ(town().gt({"mail", "send", "-m", "", cat("w", who), "-s", "for you alone"}).exit_code, 0);
    EXPECT_EQ(mail(who).end().exit_code, 0);
    EXPECT_EQ(town().gt({"nudge", cat("h", who), "for you alone"}).exit_code, 0);
    EXPECT_EQ(hook(who).end().exit_code, 2) << "its session is woken";
  }
  const auto after = sleeps_of_all();
  EXPECT_EQ(after.size(), 2 * (static_cast<std::size_t>(kEach) - concerned.size())) << "everybody else waits still";
  std::int64_t wakes = 0;
  for (const auto& [pid, sleeps] : after) wakes += sleeps - before.at(pid);
  EXPECT_EQ(wakes, 0) << "of those whom nothing concerned";
}

/// That the count above can be another one: whoever watches the town does hold one, and one only.
TEST(WhoWatches, HoldsOneInstanceOfInotify) {
  const TestTown town;
  auto watcher = RunningGt::start({"up"}, town.folder());
  await("it watches",
        [&] { return !watcher.is_running() || (watches_of(watcher.pid()) > 0 && sleeps(watcher.pid())); });
  ASSERT_TRUE(watcher.is_running());
  EXPECT_EQ(watches_of(watcher.pid()), 1);
  EXPECT_EQ(town.gt({"down"}).exit_code, 0);
  EXPECT_EQ(watcher.end().exit_code, 0);
}

}  // namespace
}  // namespace townpost
