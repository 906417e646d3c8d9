#include "net/host_lookup.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/environment.h"
#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;
using Numbers = std::vector<std::string>;

TEST(HostLookup, AsksNobodyForANumberOrForLocalhost) {
  const auto at_once = Deadline::in(0ms);
  EXPECT_EQ(numbers_of_host("192.0.2.7", at_once).value(), Numbers{"192.0.2.7"});
  EXPECT_EQ(numbers_of_host("2001:db8::1", at_once).value(), Numbers{"2001:db8::1"});
  EXPECT_EQ(numbers_of_host("localhost", at_once).value(), (Numbers{"127.0.0.1", "::1"}));
}

TEST(HostLookup, TakesEveryNumberOnceAndNothingElse) {
  EXPECT_EQ(numbers_in("192.0.2.7     STREAM a.example\n192.0.2.7     DGRAM  \n2001:db8::1\tRAW\n"),
            (Numbers{"192.0.2.7", "2001:db8::1"}));
  EXPECT_EQ(numbers_in("\n  \n1.2.3\n1.2.3.4.5\n300.1.1.1\nnonsense\n"), Numbers{});
  EXPECT_EQ(numbers_in(std::string_view("::1%eth\0/\r\n", 11)), Numbers{});
}

/// A `getent` of our own, first on the PATH.
class OwnGetent : public testing::Test {
 protected:
  void stands_for(std::string_view script) {
    const auto program = folder_.path() / "getent";
    ASSERT_TRUE(write_file_durably(program, cat("#!/bin/sh\n", script), 0755));
    ASSERT_EQ(::setenv("PATH", cat(folder_.path().string(), ":", path_).c_str(), 1), 0);
  }
  ~OwnGetent() override { ::setenv("PATH", path_.c_str(), 1); }

  std::string path_ = SystemEnvironment().get("PATH").value_or("/usr/bin:/bin");
  TemporaryFolder folder_ = TemporaryFolder::make("townpost-getent-").value();
};

TEST_F(OwnGetent, IsAskedForAnyOtherName) {
  stands_for("[ \"$1 $2 $3\" = 'ahosts -- a.example' ] && echo '192.0.2.7 STREAM a.example'");
  EXPECT_EQ(numbers_of_host("a.example", Deadline::in(1min)).value(), Numbers{"192.0.2.7"});
}

TEST_F(OwnGetent, ThatKnowsNothingMeansThatThereIsNoSuchHost) {
  stands_for("exit 2");
  const auto none = numbers_of_host("a.example", Deadline::in(1min));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::unavailable);
  EXPECT_EQ(none.error().message, "there is no host a.example");
}

TEST_F(OwnGetent, IsEndedAtTheDeadline) {
  stands_for("exec sleep 1000");
  const auto none = numbers_of_host("a.example", Deadline::in(50ms));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "nobody said in time where the host a.example is");
}

TEST_F(OwnGetent, IsEndedWhenTheLookupIsCalledOff) {
  stands_for("exec sleep 1000");
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  const auto none = numbers_of_host("a.example", Deadline::in(1h, stop.get_token()));
  other.join();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "called off before the host a.example was found");
}

TEST_F(OwnGetent, ThatNeverStopsTalkingIsNotListenedToForEver) {
  stands_for("exec yes nonsense");
  EXPECT_FALSE(numbers_of_host("a.example", Deadline::in(1h)));
}

}  // namespace
}  // namespace townpost
