#include "base/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace townpost {
namespace {

TEST(Workers, DoEverythingThatTheyTookOn) {
  std::atomic<int> done = 0;
  {
    Workers workers({.threads = 4, .waiting = 1000});
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(workers.give([&] { ++done; }));
  }
  EXPECT_EQ(done, 500);
}

TEST(Workers, WorkSideBySide) {
  std::latch all(8);
  Workers workers({.threads = 8});
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(workers.give([&] { all.arrive_and_wait(); }));
  all.wait();  // none of them could go on without the others
}

TEST(Workers, TakeNoMoreOnThanMayWait) {
  std::latch begun(1), go(1);
  Workers workers({.threads = 1, .waiting = 2});
  EXPECT_TRUE(workers.give([&] {
    begun.count_down();
    go.wait();
  }));
  begun.wait();
  EXPECT_TRUE(workers.give([] {}));
  EXPECT_TRUE(workers.give([] {}));
  EXPECT_FALSE(workers.give([] { ADD_FAILURE() << "it was refused"; }));
  go.count_down();
}

TEST(Workers, WithoutRoomToWaitTakeOnlyWhatBeginsAtOnce) {
  std::latch begun(2), go(1);
  Workers workers({.threads = 2, .waiting = 0});
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(workers.give([&] {
      begun.count_down();
      go.wait();
    }));
  EXPECT_FALSE(workers.give([] { ADD_FAILURE() << "it was refused"; }));
  begun.wait();
  go.count_down();
}

TEST(Workers, TakeNothingOnOnceTheyFinish) {
  Workers workers({});
  workers.finish();
  EXPECT_FALSE(workers.give([] {}));
}

TEST(Workers, ComeBackAfterTheyLeft) {
  Workers workers({.threads = 2, .idle = std::chrono::milliseconds(1)});
  for (int i = 0; i < 20; ++i) {
    std::latch done(1);
    EXPECT_TRUE(workers.give([&] { done.count_down(); }));
    done.wait();
  }
}

}  // namespace
}  // namespace townpost
