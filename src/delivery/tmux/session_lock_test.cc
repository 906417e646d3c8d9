#include "delivery/tmux/session_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace townpost {
namespace {

class SessionLocks : public testing::Test {
 protected:
  Result<SessionLock> take(std::string_view name, Millis longest = Millis(0)) {
    return SessionLock::take(folder_.path() / "run" / "lock", name, longest, [this](Millis time) {
      slept_ += time;
      if (on_sleep_) on_sleep_();
    });
  }

  TemporaryFolder folder_ = TemporaryFolder::make("townpost-lock").value();
  Millis slept_{0};
  std::function<void()> on_sleep_;
};

TEST_F(SessionLocks, AreHeldByOneAtATime) {
  const auto first = take("%5");
  ASSERT_TRUE(first);
  const auto second = take("%5", Millis(50));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::timeout);
  EXPECT_EQ(second.error().message, "another process is typing into %5");
  EXPECT_EQ(slept_, Millis(50));
}

TEST_F(SessionLocks, OfOtherSessionsAreFree) {
  const auto first = take("%5");
  ASSERT_TRUE(first);
  EXPECT_TRUE(take("%6"));
}

TEST_F(SessionLocks, AreGivenBackAtTheEnd) {
  { ASSERT_TRUE(take("%5")); }
  EXPECT_TRUE(take("%5"));
}

TEST_F(SessionLocks, AreTakenAsSoonAsTheyAreGivenBack) {
  auto held = std::make_unique<Result<SessionLock>>(take("%5"));
  ASSERT_TRUE(*held);
  on_sleep_ = [&] { held.reset(); };
  EXPECT_TRUE(take("%5", std::chrono::hours(1)));
}

/// Once the clock of files has moved on, twice: for a moment we may still read the time before.
SessionLock::Moment later() {
  auto out = SessionLock::Moment::now();
  for (int step = 0; step < 2; ++step)
    for (const auto before = out; out.ns <= before.ns;) out = SessionLock::Moment::now();
  return out;
}

TEST_F(SessionLocks, TellWhetherAnotherHasHeldThemSince) {
  const auto begun = later();
  {
    const auto made = take("%5");
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->was_free_since(begun)) << "of a new one nothing is known";
  }
  const auto given_back = later();
  {
    const auto again = take("%5");
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->was_free_since(given_back));
    EXPECT_FALSE(again->was_free_since(begun)) << "it was held since";
  }
  const auto last = take("%5");
  ASSERT_TRUE(last);
  EXPECT_FALSE(last->was_free_since(given_back)) << "so it was once more";
}

TEST_F(SessionLocks, HoldAcrossProcessesAndEndWithTheirs) {
  int ready[2];
  int end[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto held = take("%5");
    (void)!write(ready[1], held ? "y" : "n", 1);
    char byte = 0;
    (void)!read(end[0], &byte, 1);
    _exit(0);  // without giving anything back
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_FALSE(take("%5"));
  ASSERT_EQ(write(end[1], "x", 1), 1);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  {
    const auto after = take("%5");
    ASSERT_TRUE(after);
    EXPECT_FALSE(after->was_free_since(later())) << "when it ended, nobody noted";
  }
  const auto now = later();
  const auto next = take("%5");
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->was_free_since(now));
  for (const int fd : {ready[0], ready[1], end[0], end[1]}) close(fd);
}

}  // namespace
}  // namespace townpost
