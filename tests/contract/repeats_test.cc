// Rule L5 with groups, queues and channels: a message repeats an earlier one only for those who had that one.
#include "contract/lists_fixture.h"
#include "post/mail/recall.h"

namespace townpost {
namespace {

using std::chrono::hours;

class RepeatsTest : public ListsTest {
 protected:
  void recall_from(std::string_view sender) {
    must(recall(town(), sender, clock().now() - hours(1), caller("overseer")));
  }
};
ON_EVERY_STORE(RepeatsTest);

TEST_P(RepeatsTest, WhoeverJoinedAGroupSinceWasNotSentItBefore) {
  group("team", {"max"});
  const Letter what = letter("group:team");
  send("nux", what);
  EXPECT_TRUE(send("nux", what).duplicate);
  must(groups().edit("team", Groups::Edit::add, {"slit"}, caller("overseer")));
  const auto again = send("nux", what);
  EXPECT_FALSE(again.duplicate);
  EXPECT_EQ(inbox("slit").size(), 1u);
  must(groups().edit("team", Groups::Edit::remove, {"max"}, caller("overseer")));
  EXPECT_TRUE(send("nux", what).duplicate) << "whoever is left has had it";
}

TEST_P(RepeatsTest, ACopyForOneselfIsARecipientMore) {
  group("team", {"max"});
  Letter what = letter("group:team");
  send("nux", what);
  what.include_self = true;
  EXPECT_FALSE(send("nux", what).duplicate);
  EXPECT_EQ(inbox("nux").size(), 1u);
}

TEST_P(RepeatsTest, AQueueOrChannelThatWasMadeAgainHasNotHadIt) {
  const Letter work = letter("queue:jobs");
  simple_queue("jobs");
  send("nux", work);
  EXPECT_TRUE(send("nux", work).duplicate);
  must(queues().remove("jobs", Queues::Unfinished::drop));
  simple_queue("jobs");
  EXPECT_FALSE(send("nux", work).duplicate);
  EXPECT_EQ(counts("jobs"), (QueueCounts{1, 0, 0, 0}));

  const Letter post = letter("channel:builds");
  channel("builds");
  send("nux", post);
  EXPECT_TRUE(send("nux", post).duplicate);
  must(channels().remove("builds", Channels::Posts::drop, caller("overseer")));
  channel("builds");
  EXPECT_FALSE(send("nux", post).duplicate);
  EXPECT_EQ(on_channel("builds").size(), 1u);
}

TEST_P(RepeatsTest, WhatWasTakenBackMayBeSentAgain) {
  simple_queue("jobs");
  channel("builds");
  for (const auto* to : {"queue:jobs", "channel:builds", "max"}) {
    const Letter what = letter(to);
    send("nux", what);
    EXPECT_TRUE(send("nux", what).duplicate) << to;
    recall_from("nux");
    EXPECT_FALSE(send("nux", what).duplicate) << to;
    const auto there = counts("jobs").available + static_cast<std::int64_t>(on_channel("builds").size()) +
                       static_cast<std::int64_t>(inbox("max").size());
    EXPECT_EQ(there, 1) << to;  // what was sent before was taken back, too
  }
}

TEST_P(RepeatsTest, WorkThatIsDoneOrMailThatWasDeletedIsStillARepetitionForTenMinutes) {
  simple_queue("jobs");
  const Letter work = letter("queue:jobs");
  send("nux", work);
  must(claims().complete(claimed_id("slit").value(), caller("slit")));
  EXPECT_TRUE(send("nux", work).duplicate);

  const Letter mail = letter("max");
  const auto id = send("nux", mail).message.id;
  mark(id, Mark::read, "max");
  mark(id, Mark::deleted, "max");
  EXPECT_TRUE(send("nux", mail).duplicate);
  clock().advance(std::chrono::minutes(11));
  EXPECT_FALSE(send("nux", work).duplicate);
  EXPECT_FALSE(send("nux", mail).duplicate);
}

}  // namespace
}  // namespace townpost
