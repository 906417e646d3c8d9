#include "store/db/server_time.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

std::int64_t ticks = 0;

class ServerTimeTest : public ::testing::Test {
 protected:
  ServerTimeTest() { ticks = 5'000'000; }
  static constexpr std::int64_t kThen = 1'700'000'000'000'000;  // µs
  ServerTime time_{[] { return ticks; }};
};

TEST_F(ServerTimeTest, GoesOnFromWhatTheServerSaid) {
  time_.learn(kThen);
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000});
  ticks += 2'500;
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 2});
  ticks += 500;
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 3});
}

TEST_F(ServerTimeTest, IsNeverAheadOfTheServerByRounding) {
  time_.learn(kThen + 999);
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000});
}

TEST_F(ServerTimeTest, IsNeverEarlierThanTheServerSaid) {
  time_.learn(kThen);
  ticks += 50'000;
  time_.learn(kThen + 10'000);  // an answer that was under way for a while
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 10});
}

TEST_F(ServerTimeTest, IsNeverEarlierThanItWas) {
  time_.learn(kThen);
  ticks += 70'000;
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 70});
  time_.learn(kThen + 10'000);
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 70});
  ticks += 100'000;
  EXPECT_EQ(time_.now(), Instant{kThen / 1'000 + 110});
}

}  // namespace
}  // namespace townpost
