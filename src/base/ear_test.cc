#include "base/ear.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace townpost {
namespace {

namespace fs = std::filesystem;

class EarTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }
  static bool was_told(const Ear& ear) {
    pollfd look{.fd = ear.fd(), .events = POLLIN, .revents = 0};
    return ear.can_hear() && ::poll(&look, 1, 0) == 1;
  }
  static std::size_t number_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  TemporaryFolder root_ = std::move(*TemporaryFolder::make("ears"));
};

TEST_F(EarTest, HearsWhatIsToldInItsFoldersAndNothingElse) {
  const Ear ann({folder("ann"), folder("everybody")});
  const Ear bob({folder("bob"), folder("everybody")});
  tell_ears(folder("ann"));
  EXPECT_TRUE(was_told(ann));
  EXPECT_FALSE(was_told(bob));
  tell_ears(folder("everybody"));
  EXPECT_TRUE(was_told(bob));
}

TEST_F(EarTest, IsToldInWhichFolder) {
  Ear ear({folder("ann"), folder("bob"), folder("everybody")});
  tell_ears(folder("bob"));
  tell_ears(folder("everybody"));
  tell_ears(folder("bob"));
  EXPECT_EQ(ear.heard(), (std::vector{folder("bob"), folder("everybody")}));
  EXPECT_EQ(ear.heard(), std::vector<fs::path>());
}

TEST_F(EarTest, ThatWasToldMoreThanItHoldsHasHeardEverything) {
  Ear ear({folder("ann"), folder("bob")});
  for (int i = 0; i < 20'000; ++i) tell_ears(folder("ann"));
  tell_ears(folder("bob"));
  EXPECT_EQ(ear.heard(), (std::vector{folder("ann"), folder("bob")}));
}

TEST_F(EarTest, ForgetsWhenItHasWaited) {
  Ear ear({folder("a")});
  for (int i = 0; i < 100'000; ++i) tell_ears(folder("a"));  // more than the pipe holds: nobody waits for it
  ear.wait({}, std::chrono::hours(1));
  EXPECT_FALSE(was_told(ear));
  ear.wait({}, Millis(0));
}

TEST_F(EarTest, WakesUpForADescriptorToo) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  Ear ear({folder("a")});
  ear.wait({ends[0]}, std::chrono::hours(1));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(EarTest, LeavesNothingBehind) {
  { const Ear ear({folder("a"), folder("b")}); }
  EXPECT_EQ(number_in(folder("a")), 0U);
  EXPECT_EQ(number_in(folder("b")), 0U);
}

TEST_F(EarTest, OfADeadProcessIsClearedAwayByWhoeverTells) {
  fs::create_directories(folder("a"));
  ASSERT_EQ(::mkfifo((folder("a") / "4711-1").c_str(), 0600), 0);
  tell_ears(folder("a"));
  EXPECT_EQ(number_in(folder("a")), 0U);
}

TEST_F(EarTest, HearsHoweverManyOthersTellWhileItIsMadeAndNobodyIsKilledWhenItGoes) {
  fs::create_directories(folder("a"));
  std::atomic<bool> done = false;
  std::thread others([&] {
    while (!done) tell_ears(folder("a"));
  });
  int deaf = 0;
  for (int i = 0; i < 3000; ++i) {
    Ear ear({folder("a")});
    ear.heard();
    tell_ears(folder("a"));
    if (ear.heard().empty() || !ear.can_hear()) ++deaf;
  }
  done = true;
  others.join();
  EXPECT_EQ(deaf, 0);
}

TEST_F(EarTest, IsAPipeAndNothingThatLiesInItsPlace) {
  fs::create_directories(folder("a"));
  fs::create_directories(folder("elsewhere"));
  const auto file = folder("elsewhere") / "file";
  ASSERT_TRUE(write_file_lightly(file, "precious"));
  fs::create_symlink(file, folder("a") / "1-1");
  fs::create_hard_link(file, folder("a") / "1-2");
  tell_ears(folder("a"));
  EXPECT_EQ(read_file(file).value_or(""), "precious");
  fs::create_directory_symlink(folder("elsewhere"), folder("linked"));
  const Ear ear({folder("linked") / "deep"});
  EXPECT_FALSE(ear.can_hear()) << "nothing is made behind a link";
  EXPECT_EQ(number_in(folder("elsewhere")), 1U);
}

TEST_F(EarTest, ThatCannotHearSleepsOnlyForAMoment) {
  ASSERT_TRUE(write_file_lightly(folder("a"), "not a folder"));
  Ear ear({folder("a")});
  EXPECT_FALSE(ear.can_hear());
  ear.wait({}, std::chrono::hours(1));  // or this test would never end
}

}  // namespace
}  // namespace townpost
