#include "post/rules/retention.h"

#include "base/advice.h"
#include "contract/lists_fixture.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class RetentionTest : public ListsTest {
 protected:
  /// Posts numbered `from` … `to`; limits are off so that many are no storm.
  void publish_numbers(const std::string& name, int from, int to) {
    limits().enabled = false;
    for (int i = from; i <= to; ++i) publish(name, std::to_string(i));
  }
  static Strings numbers(int from, int to) {
    Strings out;
    for (int i = from; i <= to; ++i) out.push_back(std::to_string(i));
    return out;
  }
  std::int64_t patrol(const std::string& name) { return must(channels().patrol(name)).at(0).posts; }
  Strings pruned(const std::string& name) {
    Strings out;
    for (const auto& record : must(channels().pruned(name, 100, {}))) out.push_back(record.subject);
    return out;
  }
};
ON_EVERY_STORE(RetentionTest);

// G179
TEST_P(RetentionTest, OnlyTheNewestStay) {
  channel("builds", {.retain_count = 3});
  publish_numbers("builds", 1, 5);
  EXPECT_EQ(on_channel("builds"), numbers(3, 5));
  EXPECT_EQ(must(channels().show("builds")).posts, 3);
  EXPECT_EQ(must(channels().show("builds")).channel.pruned, 2);
  EXPECT_EQ(pruned("builds"), (Strings{"2", "1"}));
}

TEST_P(RetentionTest, OneIsTheLeastThatCanBeKept) {
  channel("builds", {.retain_count = 1});
  publish_numbers("builds", 1, 3);
  EXPECT_EQ(on_channel("builds"), Strings{"3"});
}

// G180
TEST_P(RetentionTest, PostsAreKeptWhileTheyAreYoungerThanTheLimit) {
  channel("builds", {.retain_hours = 1});
  publish("builds", "old");
  clock().advance(minutes(31));
  publish("builds", "young");
  clock().advance(minutes(29) - Millis(1));
  EXPECT_EQ(on_channel("builds"), (Strings{"old", "young"})) << "59:59.999 is younger than an hour";
  clock().advance(Millis(1));
  EXPECT_EQ(on_channel("builds"), Strings{"young"}) << "an hour is not";
  clock().advance(minutes(1));
  publish("builds", "new");
  EXPECT_EQ(pruned("builds"), Strings{"old"});
  EXPECT_EQ(on_channel("builds"), (Strings{"young", "new"}));
}

TEST_P(RetentionTest, APostStaysOnlyWhileItSatisfiesEveryLimit) {
  channel("builds", {.retain_count = 2, .retain_hours = 1});
  publish_numbers("builds", 1, 3);
  EXPECT_EQ(on_channel("builds"), numbers(2, 3)) << "young but too many";
  clock().advance(hours(2));
  publish_numbers("builds", 4, 4);
  EXPECT_EQ(on_channel("builds"), Strings{"4"}) << "among the newest two but old";
  EXPECT_EQ(pruned("builds"), (Strings{"3", "2", "1"}));
}

// G185
TEST_P(RetentionTest, ZeroIsUnlimited) {
  channel("builds", {.retain_count = 0, .retain_hours = 0});
  publish_numbers("builds", 1, 30);
  clock().advance(hours(24 * 400));
  must(channels().patrol(std::nullopt));
  publish_numbers("builds", 31, 31);
  EXPECT_EQ(on_channel("builds").size(), 31u);
  EXPECT_TRUE(pruned("builds").empty());
}

TEST_P(RetentionTest, UnreadPostsArePrunedToo) {
  channel("builds", {.retain_count = 2});
  subscribe("max", "builds");
  publish_numbers("builds", 1, 5);
  EXPECT_EQ(news("max"), Strings{"builds 2"});
  EXPECT_EQ(unread("max", "builds"), numbers(4, 5));
}

TEST_P(RetentionTest, PostsPastTheirAgeAreNoNewsBeforeTheyArePruned) {
  channel("builds", {.retain_hours = 1});
  subscribe("max", "builds");
  publish("builds", "old");
  clock().advance(hours(1));
  EXPECT_TRUE(news("max").empty());
  EXPECT_TRUE(unread("max", "builds").empty());
  EXPECT_EQ(must(channels().show("builds")).posts, 0);
}

// G182
TEST_P(RetentionTest, ThePatrolLeavesATenthTooMany) {
  channel("eleven");
  publish_numbers("eleven", 1, 11);
  must(channels().update("eleven", {.retain_count = 10}, caller("overseer")));
  EXPECT_EQ(patrol("eleven"), 0);
  EXPECT_EQ(on_channel("eleven").size(), 11u);

  channel("twelve");
  publish_numbers("twelve", 1, 12);
  must(channels().update("twelve", {.retain_count = 10}, caller("overseer")));
  EXPECT_EQ(on_channel("twelve").size(), 12u) << "a new limit prunes nothing by itself";
  EXPECT_EQ(patrol("twelve"), 2);
  EXPECT_EQ(on_channel("twelve"), numbers(3, 12)) << "down to the limit, not to the limit and a tenth";
  EXPECT_EQ(patrol("twelve"), 0);
}

TEST_P(RetentionTest, TheTenthIsRoundedDown) {
  for (const auto& [limit, posts, gone] : {std::tuple{1, 2, 1}, std::tuple{9, 10, 1}, std::tuple{19, 20, 0},
                                           std::tuple{19, 21, 2}, std::tuple{20, 22, 0}, std::tuple{20, 23, 3}}) {
    const std::string name = cat("c-", limit, "-", posts);
    channel(name);
    publish_numbers(name, 1, posts);
    must(channels().update(name, {.retain_count = limit}, caller("overseer")));
    EXPECT_EQ(patrol(name), gone) << posts << " posts, limit " << limit;
  }
}

TEST_P(RetentionTest, AWritePrunesToTheLimitWithoutSlack) {
  channel("builds");
  publish_numbers("builds", 1, 11);
  must(channels().update("builds", {.retain_count = 10}, caller("overseer")));
  publish_numbers("builds", 12, 12);
  EXPECT_EQ(on_channel("builds"), numbers(3, 12));
}

TEST_P(RetentionTest, ThePatrolGoesThroughEveryChannel) {
  for (const auto* name : {"a1", "b1"}) {
    channel(name);
    publish_numbers(name, 1, 5);
    must(channels().update(name, {.retain_count = 2}, caller("overseer")));
  }
  channel("c1");
  send("nux", "max");
  const auto done = must(channels().patrol(std::nullopt));
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0].name, "a1");
  EXPECT_EQ(done[0].posts, 3);
  EXPECT_EQ(done[1].posts, 3);
  EXPECT_EQ(done[2].posts, 0);
  EXPECT_EQ(error_of(channels().patrol("missing")).code, Code::not_found);
}

TEST_P(RetentionTest, ThePatrolPrunesByAgeToo) {
  channel("builds", {.retain_hours = 1});
  publish("builds", "old");
  clock().advance(minutes(30));
  publish("builds", "young");
  clock().advance(minutes(31));
  EXPECT_EQ(patrol("builds"), 1);
  EXPECT_EQ(pruned("builds"), Strings{"old"});
}

TEST_P(RetentionTest, ALimitThatPostsArePastAlreadyPrunesThemAtOnce) {
  channel("builds");
  publish("builds", "old");
  clock().advance(minutes(61));
  publish("builds", "young");
  must(channels().update("builds", {.retain_hours = 1}, caller("overseer")));
  EXPECT_EQ(on_channel("builds"), Strings{"young"});
  EXPECT_EQ(pruned("builds"), Strings{"old"});
}

TEST_P(RetentionTest, PostsPastTheirAgeArePrunedByWhoeverWritesNext) {
  channel("builds", {.retain_hours = 1});
  publish("builds", "first");
  clock().advance(minutes(30));
  publish("builds", "second");
  send("nux", "max");  // so that the town's newest message is none of them
  clock().advance(minutes(30));
  EXPECT_TRUE(pruned("builds").empty());
  let_duties_run();
  EXPECT_EQ(pruned("builds"), Strings{"first"});
  clock().advance(minutes(30));
  let_duties_run();
  EXPECT_EQ(pruned("builds"), (Strings{"second", "first"})) << "the next one is noted, too";
}

TEST_P(RetentionTest, ALimitThatWasSetLaterIsKeptByWhoeverWritesNext) {
  channel("builds");
  publish("builds", "old");
  send("nux", "max");
  must(channels().update("builds", {.retain_hours = 1}, caller("overseer")));
  clock().advance(hours(1));
  let_duties_run();
  EXPECT_EQ(pruned("builds"), Strings{"old"});
}

TEST_P(RetentionTest, ALimitThatWasLoweredIsKeptByWhoeverWritesNext) {
  channel("builds", {.retain_hours = 24});
  publish("builds", "old");
  send("nux", "max");
  must(channels().update("builds", {.retain_hours = 1}, caller("overseer")));
  clock().advance(hours(1));
  let_duties_run();
  EXPECT_EQ(pruned("builds"), Strings{"old"});
}

TEST_P(RetentionTest, ALimitThatWasLiftedPrunesNothingMore) {
  channel("builds", {.retain_hours = 1});
  publish("builds", "old");
  send("nux", "max");
  must(channels().update("builds", {.retain_hours = 0}, caller("overseer")));
  clock().advance(hours(2));
  let_duties_run();
  EXPECT_EQ(on_channel("builds"), Strings{"old"});
}

TEST_P(RetentionTest, PostsThatWerePrunedWereSentAllTheSame) {
  channel("builds", {.retain_count = 3});
  const Caller nux = caller("nux");
  for (int i = 0; i < 120; ++i) send("nux", "channel:builds", cat("post ", i));
  EXPECT_EQ(on_channel("builds").size(), 3u);
  const auto refused = error_of(office().send(letter("channel:builds"), nux));
  EXPECT_EQ(refused.code, Code::limited);
  EXPECT_NE(refused.message.find("rule L3"), std::string::npos) << refused.message;
  std::int64_t shown = 0;
  for (const auto& agent : must(Cares(town()).status()).agents)
    if (agent.agent.address == nux.address) shown = agent.sent_in_an_hour;
  EXPECT_EQ(shown, 120) << "what gt top shows";
}

TEST_P(RetentionTest, APrunedPostLeavesARecordAndSaysSo) {
  channel("builds", {.retain_count = 1});
  const Message gone = publish("builds", "main is red");
  clock().advance(minutes(1));
  publish("builds", "main is green");
  const auto records = must(channels().pruned("builds", 10, {}));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].message, gone.id);
  EXPECT_EQ(records[0].from, "beads/polecats/nux");
  EXPECT_EQ(records[0].subject, "main is red");
  EXPECT_EQ(records[0].created_at, gone.created_at);
  EXPECT_EQ(records[0].pruned_at, clock().now());
  EXPECT_TRUE(has(records[0].reason, "newest 1")) << records[0].reason;
  EXPECT_EQ(events(gone.id), (Strings{"stored", "pruned"}));
  for (const auto* who : {"nux", "max", "overseer"}) {
    const Error error = error_of(room().read(gone.id, Mailroom::Ack::no, caller(who)));
    EXPECT_EQ(error.code, Code::not_found) << who;
    EXPECT_TRUE(has(error.message, "was pruned") && has(error.message, "main is red")) << error.message;
    EXPECT_NE(advice(error), "");
  }
}

TEST_P(RetentionTest, WhatIsAlsoMailIsPrunedFromTheChannelOnly) {
  channel("builds", {.retain_count = 1});
  const Message both = send("nux", {{.subject = "both", .body = "keep me"}, {"channel:builds", "max"}}).message;
  publish("builds", "next");
  EXPECT_EQ(on_channel("builds"), Strings{"next"});
  EXPECT_EQ(pruned("builds"), Strings{"both"});
  EXPECT_EQ(subjects("max"), Strings{"both"});
  EXPECT_EQ(must(room().read(both.id, Mailroom::Ack::no, caller("max"))).message.body, "keep me");
}

TEST_P(RetentionTest, WhatIsAlsoWorkIsPrunedFromTheChannelOnly) {
  channel("builds", {.retain_count = 1});
  simple_queue("dispatch");
  send("nux", {{.subject = "both", .body = "b"}, {"channel:builds", "queue:dispatch"}});
  publish("builds", "next");
  EXPECT_EQ(pruned("builds"), Strings{"both"});
  EXPECT_EQ(claim("max", "dispatch")->message.subject, "both");
}

TEST_P(RetentionTest, OtherChannelsAreLeftAlone) {
  channel("builds", {.retain_count = 1});
  channel("talk");
  publish_numbers("talk", 1, 5);
  publish_numbers("builds", 1, 5);
  EXPECT_EQ(on_channel("talk"), numbers(1, 5));
}

TEST_P(RetentionTest, TheSequenceOfMessagesGoesOnWhenTheNewestIsPastItsAge) {
  channel("builds", {.retain_hours = 1});
  const Message newest = publish("builds", "newest of the town");
  clock().advance(hours(2));
  must(channels().patrol(std::nullopt));
  let_duties_run();
  EXPECT_GT(send("nux", "max").message.id.seq(), newest.id.seq()) << "its number was given twice";
  EXPECT_EQ(patrol("builds"), 1) << "now it can go";
}

TEST_P(RetentionTest, ManyAreRemovedAtOnce) {
  limits().enabled = false;
  channel("builds");
  for (int i = 0; i < 620; ++i) publish("builds", std::to_string(i), "overseer");
  must(channels().update("builds", {.retain_count = 5}, caller("overseer")));
  EXPECT_EQ(patrol("builds"), 615);
  EXPECT_EQ(on_channel("builds"), numbers(615, 619));
}

}  // namespace
}  // namespace townpost
