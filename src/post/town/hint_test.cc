#include "post/town/hint.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

using std::chrono::seconds;

/// A bell that counts its rings.
class CountingBell final : public Bell {
 public:
  void ring(const BellKey& key) override { ++rings_[key]; }
  std::optional<std::int64_t> stamp(const BellKey& key) override {
    return lasting ? std::optional(rings_[key]) : std::nullopt;
  }
  bool lasting = true;

 private:
  std::map<BellKey, std::int64_t> rings_;
};

class HintTest : public ::testing::Test {
 protected:
  static constexpr AgentId kMailbox{5};

  HintTest() { settings_changed(clock_.now() - Millis(1)); }

  Hint hint(const std::string& caller = "caller") { return {folder_.path(), caller, bell_, clock_}; }
  bool trusted() { return hint().nothing_waits_for().has_value(); }
  void look_and_find_nothing() { hint().nothing_found(hint().before_look(kMailbox)); }
  std::filesystem::path file() const { return folder_.path() / "run" / "hint" / "caller"; }
  std::filesystem::path settings_file() const { return folder_.path() / "town.toml"; }
  void settings_changed(Instant at) const {
    ASSERT_TRUE(write_file_lightly(settings_file(), "[town]\n"));
    const timespec when{at.ms / 1000, at.ms % 1000 * 1'000'000};
    const timespec times[2] = {when, when};
    ASSERT_EQ(::utimensat(AT_FDCWD, settings_file().c_str(), times, 0), 0);
  }

  CountingBell bell_;
  ManualClock clock_;

 private:
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("hint"));
};

TEST_F(HintTest, WithoutALookNothingIsTrusted) { EXPECT_FALSE(trusted()); }

TEST_F(HintTest, ALookThatFoundNothingIsTrustedForAMinute) {
  look_and_find_nothing();
  EXPECT_TRUE(trusted());
  clock_.advance(seconds(60) - Millis(1));
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
  bell_.ring(AgentId{6});
  bell_.ring(QueueId{5});
  bell_.ring(BellKey::queues());
  EXPECT_TRUE(trusted()) << "another mailbox's bell, or a queue's, is none of ours";
  bell_.ring(kMailbox);
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ARingOfTheRegistryEndsIt) {
  look_and_find_nothing();
  bell_.ring(BellKey::registry());
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, APostOnAnyChannelEndsIt) {
  look_and_find_nothing();
  bell_.ring(BellKey::channels());
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ARingDuringTheLookIsNotMissed) {
  for (const auto& key : {BellKey(kMailbox), BellKey::registry(), BellKey::channels()}) {
    const auto stamps = hint().before_look(kMailbox);
    bell_.ring(key);
    hint().nothing_found(stamps);
    EXPECT_FALSE(trusted()) << key.name;
  }
}

TEST_F(HintTest, SettingsYoungerThanTheLookEndIt) {
  look_and_find_nothing();
  settings_changed(clock_.now());
  EXPECT_TRUE(trusted()) << "changed in the millisecond of the look";
  settings_changed(clock_.now() + Millis(1));
  EXPECT_FALSE(trusted()) << "the town may have moved to another store";
}

TEST_F(HintTest, WithoutSettingsNothingIsTrusted) {
  look_and_find_nothing();
  std::filesystem::remove(settings_file());
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, ABellWhoseStampsDoNotLastLeavesNoHint) {
  bell_.lasting = false;
  look_and_find_nothing();
  EXPECT_FALSE(std::filesystem::exists(file()));
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
  EXPECT_FALSE(hint("other").nothing_waits_for().has_value());
}

TEST_F(HintTest, NamesTheMailboxForWhichNothingWaits) {
  look_and_find_nothing();
  EXPECT_EQ(hint().nothing_waits_for(), kMailbox);
}

TEST_F(HintTest, WhatIsKnownToBecomeDueEndsItThen) {
  hint().nothing_found(hint().before_look(kMailbox), clock_.now() + seconds(5));
  clock_.advance(seconds(5) - Millis(1));
  EXPECT_TRUE(trusted());
  clock_.advance(Millis(1));
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, WhatIsDueMuchLaterDoesNotMakeItLastLonger) {
  hint().nothing_found(hint().before_look(kMailbox), clock_.now() + seconds(600));
  clock_.advance(seconds(60));
  EXPECT_TRUE(trusted());
  clock_.advance(Millis(1));
  EXPECT_FALSE(trusted());
}

TEST_F(HintTest, AFileThatWeDidNotWriteIsNotTrusted) {
  look_and_find_nothing();
  ASSERT_TRUE(trusted());
  const std::string now = std::to_string(clock_.now().ms);
  const std::string later = std::to_string(clock_.now().ms + 1);
  ASSERT_TRUE(write_file_lightly(file(), cat("3 5 0 0 0 ", now, " ", later, "\n")));
  ASSERT_TRUE(trusted()) << "this is how they look";
  for (const std::string& garbage :
       {std::string(), std::string("\n"), std::string("garbage"), std::string("3"), cat("2 5 0 0 0 ", now),
        cat("2 5 0 0 0 ", now, " ", later), cat("4 5 0 0 0 ", now, " ", later), cat("3 5 0 0 0 ", now),
        cat("3 5 0 0 0 ", now, " ", now), cat("3 5 0 0 0 ", now, " ", later, " 1"),
        cat("3 5 0 0 0 ", now, " ", later, "x"), cat("3 x 0 0 0 ", now, " ", later), cat("3  0 0 0 ", now, " ", later),
        cat("5 0 0 0 ", now, " ", later), cat("3 5 0 0 0 -", now, " ", later),
        cat("3 5 0 0 0 99999999999999999999999 ", later), std::string(300, '3'), std::string("3\0005 0 0", 8),
        std::string("\xff\xff\xff")}) {
    ASSERT_TRUE(write_file_lightly(file(), garbage));
    EXPECT_FALSE(trusted()) << "\"" << for_terminal_line(garbage) << "\"";
  }
}

}  // namespace
}  // namespace townpost
