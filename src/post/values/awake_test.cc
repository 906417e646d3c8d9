#include "post/values/awake.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Watch watch_at(std::int64_t awake_ms, Instant at) {
  Watch watch;
  watch.awake = {awake_ms};
  watch.watched_at = at;
  return watch;
}

constexpr Instant kNoon{1'700'000'000'000};

TEST(AwakeTime, GoesOnWhileSomebodyWatches) {
  const Watch watch = watch_at(5'000, kNoon);
  EXPECT_EQ(watch.at(kNoon).ms, 5'000);
  EXPECT_EQ(watch.at(kNoon + Millis(1)).ms, 5'001);
  EXPECT_EQ(watch.at(kNoon + seconds(60)).ms, 65'000);
}

TEST(AwakeTime, StandsStillInSleepAndStepsBackByTheGrace) {
  const Watch watch = watch_at(1'000'000, kNoon);
  const auto after_sleep = AwakeTime{1'000'000} - minutes(5);
  EXPECT_EQ(watch.at(kNoon + seconds(60) + Millis(1)), after_sleep);
  EXPECT_EQ(watch.at(kNoon + hours(8)), after_sleep) << "however long it was";
}

TEST(AwakeTime, DoesNotGoBackWithTheClock) { EXPECT_EQ(watch_at(1'000'000, kNoon).at(kNoon - hours(3)).ms, 1'000'000); }

TEST(AwakeTime, CountsInBothDirections) {
  const AwakeTime at{10'000};
  EXPECT_EQ((at + seconds(1)).ms, 11'000);
  EXPECT_EQ((at - seconds(1)).ms, 9'000);
  EXPECT_EQ(AwakeTime{12'000} - at, Millis(2'000));
  EXPECT_LT(at, at + Millis(1));
}

TEST(Watch, IsHeldUntilTheInstantThatWasSaid) {
  Watch watch;
  EXPECT_FALSE(watch.held(kNoon));
  watch.hold_until = kNoon;
  EXPECT_TRUE(watch.held(kNoon - Millis(1)));
  EXPECT_FALSE(watch.held(kNoon));
}

RC_GTEST_PROP(AwakeTime, NeverPassesFasterThanTheClock, ()) {
  const auto gap = *rc::gen::inRange<std::int64_t>(0, 200'000);
  const Watch watch = watch_at(1'000'000, kNoon);
  const auto passed = watch.at(kNoon + Millis(gap)) - watch.awake;
  RC_ASSERT(passed.count() <= gap);
  RC_ASSERT(passed.count() == gap || gap > kLongestBlink.count());
}

}  // namespace
}  // namespace townpost
