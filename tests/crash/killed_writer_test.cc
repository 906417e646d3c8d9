#include <gtest/gtest.h>

#include "base/text.h"
#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using Words = std::vector<std::string>;

const int kKills = stress(40, 20);

/// A command that changes the caller's copies of `messages` messages.
struct Change {
  const char* name;
  Words (*words)(const Words& ids);
  int messages;
  Sql count;  ///< how many copies are changed so far
};

std::ostream& operator<<(std::ostream& out, const Change& change) { return out << change.name; }

Words with_ids(Words words, const Words& ids) {
  words.insert(words.end(), ids.begin(), ids.end());
  words.insert(words.end(), {"--as", "ann"});
  return words;
}

constexpr Sql kRead = "SELECT count(*) FROM delivery WHERE read_at IS NOT NULL AND delivered_at IS NOT NULL";
constexpr Sql kArchived = "SELECT count(*) FROM delivery WHERE archived_at IS NOT NULL";
constexpr Sql kAnnounced = "SELECT count(*) FROM delivery WHERE announced_at IS NOT NULL";

const Change kChanges[] = {
    {"Ack",
     [](const Words& ids) {
       return with_ids({"mail", "ack"}, ids);
     },
     3, kRead},
    {"AckOfAll",
     [](const Words&) {
       return with_ids({"mail", "ack", "--all"}, {});
     },
     3, kRead},
    {"Archive",
     [](const Words& ids) {
       return with_ids({"mail", "archive"}, ids);
     },
     3, kArchived},
    {"ReadWithAck",
     [](const Words& ids) {
       return with_ids({"mail", "read", "--ack"}, ids);
     },
     1, kRead},
    {"CheckInject",
     [](const Words&) {
       return with_ids({"mail", "check", "--inject"}, {});
     },
     3, kAnnounced},
};

class KilledWriter : public testing::TestWithParam<Change> {
 protected:
  KilledWriter() { town_.agents({"ann"}); }

  std::int64_t changed() const { return StoreEvidence(town_.store()).count(GetParam().count); }

  /// Fresh messages for a new round; what earlier rounds left unread is read first.
  Words command_on_new_mail() {
    EXPECT_EQ(town_.gt({"mail", "ack", "--all", "--as", "ann"}).exit_code, 0);
    Words ids;
    for (int i = 0; i < GetParam().messages; ++i) ids.push_back(town_.send("overseer", "ann", cat("mail ", ++sent_)));
    return GetParam().words(ids);
  }

  TestTown town_;
  int sent_ = 0;
};

TEST_P(KilledWriter, DoesAllOrNothingAndCanBeRepeated) {
  Moments moments;
  std::chrono::nanoseconds duration(0);
  int killed = 0, undone = 0;
  for (int round = 0; round < kKills; ++round) {
    if (round % 20 == 0) {
      std::vector<std::chrono::nanoseconds> durations;
      for (int i = 0; i < 5; ++i) {
        const auto words = command_on_new_mail();
        durations.push_back(typical_duration([&] { ASSERT_EQ(town_.gt(words).exit_code, 0); }, 1));
      }
      duration = median(durations);
    }
    const auto words = command_on_new_mail();
    const auto before = changed();
    const auto ended = run_and_kill(words, town_.folder(), moments.within(duration));
    ASSERT_TRUE(ended.exit_code == 0 || ended.exit_code == kKilled) << ended.exit_code << ended.err;
    if (ended.exit_code == kKilled) ++killed;

    const auto done = changed() - before;
    ASSERT_TRUE(done == 0 || done == GetParam().messages) << done << " of " << GetParam().messages << " were changed";
    ASSERT_TRUE(ended.exit_code == kKilled || done > 0) << "it said that it was done";
    if (done == 0) ++undone;

    const auto again = town_.gt(words);
    ASSERT_EQ(again.exit_code, 0) << again.err;
    ASSERT_EQ(changed() - before, GetParam().messages);
  }
  StoreEvidence(town_.store()).expect_sound();
  EXPECT_GT(killed, kKills / 10) << "too few were killed for this to mean anything";
  std::printf("%d killed of %d, %d of them before the commit\n", killed, kKills, undone);
}

INSTANTIATE_TEST_SUITE_P(Changes, KilledWriter, testing::ValuesIn(kChanges),
                         [](const auto& change) { return change.param.name; });

TEST(KilledAlias, LeavesTwoMailboxesOrOneAndLosesNoMail) {
  const TestTown town;
  Moments moments;
  std::chrono::nanoseconds duration(0);
  int killed = 0, undone = 0;
  auto listed = [&](const std::string& name) { return town.json({"mail", "inbox", name}).as_array().size(); };
  for (int round = -5; round < kKills; ++round) {
    const auto before = cat("before-", round + 5), after = cat("after-", round + 5);
    town.agents({before, after});
    town.send("overseer", before, "one");
    town.send("overseer", before, "two");
    town.send("overseer", after, "three");
    const Words alias = {"agent", "alias", before, after};
    if (round < 0) {
      duration = typical_duration([&] { ASSERT_EQ(town.gt(alias).exit_code, 0); }, 1);
      continue;
    }
    const auto ended = run_and_kill(alias, town.folder(), moments.within(duration));
    if (ended.exit_code == kKilled) ++killed;

    const bool merged = listed(after) == 3;
    if (!merged) {
      ++undone;
      EXPECT_NE(ended.exit_code, 0) << "it said that it was done";
      EXPECT_EQ(listed(before), 2u);
      EXPECT_EQ(listed(after), 1u);
      const auto again = town.gt(alias);
      ASSERT_EQ(again.exit_code, 0) << again.err;
    }
    EXPECT_EQ(listed(before), 3u) << "by its old name";
    EXPECT_EQ(listed(after), 3u) << "by its new name";
  }
  StoreEvidence(town.store()).expect_sound();
  EXPECT_GT(killed, kKills / 10) << "too few were killed for this to mean anything";
  std::printf("%d killed of %d, %d of them before the commit\n", killed, kKills, undone);
}

}  // namespace
}  // namespace townpost
