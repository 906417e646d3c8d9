#include "post/hint.h"

#include <gtest/gtest.h>

#include <map>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

using std::chrono::seconds;

/// A bell that counts its rings.
class CountingBell final : public Bell {
 public:
  void ring(AgentId mailbox) override { ++rings_[mailbox]; }
  std::int64_t stamp(AgentId mailbox) override { return rings_[mailbox]; }
  void wait(AgentId, std::int64_t, Millis) override {}

 private:
  std::map<AgentId, std::int64_t> rings_;
};

class HintTest : public ::testing::Test {
 protected:
  static constexpr AgentId kMailbox{5};

  Hint hint(const std::string& caller = "caller") { return {folder_.path(), caller, bell_, clock_}; }
  bool trusted() { return hint().says_nothing_waits(); }
  void look_and_find_nothing() { hint().nothing_found(hint().before_look(kMailbox)); }
  std::filesystem::path file() const { return folder_.path() / "run" / "hint" / "caller"; }

  CountingBell bell_;
  ManualClock clock_;

 private:
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("hint"));
};

TEST_F(HintTest, WithoutALookNothingIsTrusted) { EXPECT_FALSE(trusted()); }

TEST_F(HintTest, ALookThatFoundNothingIsTrustedForAMinute) {
  look_and_find_nothing();
  EXPECT_TRUE(trusted());
  clock_.advance(seconds(60));
  EXPECT_TRUE(trusted());
  clock_.advance(Millis(1));
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, AClockThatJumpedBackIsNotTrusted) {
  look_and_find_nothing();
  clock_.advance(Millis(-1));
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ARingOfTheMailboxEndsIt) {
  look_and_find_nothing();
  bell_.ring({6});
  EXPECT_TRUE(trusted()) << "another mailbox's bell is none of ours";
  bell_.ring(kMailbox);
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ARingOfTheRegistryEndsIt) {
  look_and_find_nothing();
  bell_.ring(kRegistryBell);
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ARingDuringTheLookIsNotMissed) {
  const auto stamps = hint().before_look(kMailbox);
  bell_.ring(kMailbox);
  hint().nothing_found(stamps);
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ALaterLookRenewsIt) {
  look_and_find_nothing();
  bell_.ring(kMailbox);
  clock_.advance(seconds(90));
  look_and_find_nothing();
  EXPECT_TRUE(trusted());
}

TEST_F(HintTest, EveryCallerHasItsOwn) {
  look_and_find_nothing();
  EXPECT_FALSE(hint("other").says_nothing_waits());
}

TEST_F(HintTest, AFileThatWeDidNotWriteIsNotTrusted) {
  look_and_find_nothing();
  ASSERT_TRUE(trusted());
  const std::string now = std::to_string(clock_.now().ms);
  for (const std::string& garbage :
       {std::string(), std::string("\n"), std::string("garbage"), std::string("1"), cat("2 5 0 0 ", now),
        cat("1 5 0 0 ", now, " 1"), cat("1 5 0 0 ", now, "x"), cat("1 x 0 0 ", now), cat("1  0 0 ", now),
        cat("5 0 0 ", now), cat("1 5 0 0 -", now), std::string("1 5 0 0 99999999999999999999999"),
        std::string(300, '1'), std::string("1\0005 0 0", 8), std::string("\xff\xff\xff")}) {
    ASSERT_TRUE(write_file_lightly(file(), garbage));
    EXPECT_FALSE(trusted()) << "\"" << for_terminal_line(garbage) << "\"";
  }
}

}  // namespace
}  // namespace townpost
