#include "net/server_loop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/await.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

TEST(ServerLoop, RunsWhatIsPostedInItsOwnThreadAndInOrder) {
  std::vector<int> order;
  std::atomic<bool> here = false;
  std::atomic<bool> done = false;
  ServerLoop loop;
  loop.post([&] { order.push_back(1); });  // before it has begun
  loop.start();
  loop.post([&] { order.push_back(2); });
  loop.post([&] {
    order.push_back(3);
    here = loop.is_here();
    done = true;
  });
  await("all have run", [&] { return done.load(); });
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
  EXPECT_TRUE(here);
  EXPECT_FALSE(loop.is_here());
}

TEST(ServerLoop, RunsTheEarlierTimerFirst) {
  std::vector<int> order;
  std::atomic<bool> done = false;
  ServerLoop loop;
  loop.after(20ms, [&] {
    order.push_back(2);
    done = true;
  });
  loop.after(1ms, [&] { order.push_back(1); });
  loop.start();
  await("both have run", [&] { return done.load(); });
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(ServerLoop, TellsWhatIsThrownAndGoesOn) {
  std::mutex mutex;
  std::vector<std::string> told;
  std::atomic<bool> done = false;
  ServerLoop loop([&](std::string_view what) {
    const std::lock_guard lock(mutex);
    told.emplace_back(what);
    throw std::runtime_error("this, too");
  });
  loop.start();
  loop.post([] { throw std::runtime_error("thrown"); });
  loop.after(1ms, [] { throw 42; });
  loop.after(20ms, [&] { done = true; });
  await("it goes on", [&] { return done.load(); });
  const std::lock_guard lock(mutex);
  EXPECT_EQ(told, (std::vector<std::string>{"thrown", "something unknown was thrown"}));
}

TEST(ServerLoop, DropsWhatStillWaitsAtTheEnd) {
  const auto witness = std::make_shared<int>(0);
  {
    ServerLoop loop;
    loop.start();
    loop.after(1h, [witness] {});
    loop.stop();
    loop.post([witness] { ADD_FAILURE() << "after the end"; });
    loop.after(0ms, [witness] { ADD_FAILURE() << "after the end"; });
    loop.stop();
  }
  EXPECT_EQ(witness.use_count(), 1);
  const ServerLoop never_begun;
}

TEST(ServerLoop, TakesNoSignalThatIsMeantForOthers) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::atomic<int> blocked = -1;
  ServerLoop loop;
  loop.start();
  loop.post([&] {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    blocked = sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGPIPE) == 1;
  });
  await("it was looked at", [&] { return blocked >= 0; });
  EXPECT_EQ(blocked, 1);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

}  // namespace
}  // namespace townpost
