// `subscribe --wake`: a post wakes as mail does, by the same rules.
#include "contract/nudge_fixture.h"
#include "post/mail/explain.h"
#include "post/nudge/cares.h"

namespace townpost {
namespace {

using std::chrono::minutes;

class WakefulPostsTest : public NudgeTest {
 protected:
  WakefulPostsTest() {
    for (const auto* who : {"nux", "slit", "max"}) starts(who);
    channel("builds");
  }
  bool is_woken(const std::string& who) { return !take(who, Boundary::idle).empty(); }
};
ON_EVERY_STORE(WakefulPostsTest);

TEST_P(WakefulPostsTest, APostWakesWhoeverAskedForIt) {
  subscribe("nux", "builds", Channels::Wake::yes);
  subscribe("slit", "builds");
  publish("builds", "green", "max");
  EXPECT_EQ(line("nux").size(), 1u);
  EXPECT_TRUE(line("slit").empty()) << "it only follows";
  EXPECT_TRUE(line("max").empty()) << "one's own post is no news";
  const Parcel parcel = show("nux", Boundary::idle);
  EXPECT_TRUE(has(parcel.text, "Channel builds: 1 new post")) << parcel.text;
  EXPECT_FALSE(has(parcel.text, "green")) << "never its words";
  EXPECT_TRUE(line("nux").empty());
  EXPECT_TRUE(must(room().news_for(agent_of("nux"))).arrived) << "it is not read yet";
}

TEST_P(WakefulPostsTest, SubscribedGroupsAndPatternsAreWokenOnceEach) {
  group("team", {"nux", "max"});
  must(channels().subscribe("builds", "@team", Channels::Wake::yes, caller("overseer")));
  must(channels().subscribe("builds", "beads/polecats/*", Channels::Wake::yes, caller("overseer")));
  const auto receipt = send("overseer", "channel:builds");
  for (const auto* who : {"nux", "slit", "max"}) EXPECT_EQ(line(who).size(), 1u) << who;
  EXPECT_EQ(receipt.recipients.at(0).reason, "subscribers read it there; it wakes 3 of them");
  EXPECT_EQ(receipt.followers.size(), 3u);
}

TEST_P(WakefulPostsTest, APostThatWasReadWakesNobodyAnyMore) {
  subscribe("nux", "builds", Channels::Wake::yes);
  publish("builds", "first", "max");
  publish("builds", "second", "max");
  ASSERT_EQ(line("nux").size(), 1u) << "one entry for both";
  mark(send("max", "slit").message.id, Mark::read, "slit");
  EXPECT_EQ(line("nux").size(), 1u);
  EXPECT_EQ(unread("nux", "builds"), (Strings{"first", "second"}));
  EXPECT_TRUE(line("nux").empty());
}

TEST_P(WakefulPostsTest, ReadingMailLeavesTheEntryOfAPost) {
  subscribe("nux", "builds", Channels::Wake::yes);
  const MessageId mail = send("max", "nux").message.id;
  publish("builds", "news", "max");
  ASSERT_EQ(line("nux").size(), 1u);
  mark(mail, Mark::read, "nux");
  EXPECT_EQ(line("nux").size(), 1u) << "the post waits";
  unread("nux", "builds");
  EXPECT_TRUE(line("nux").empty());
}

TEST_P(WakefulPostsTest, WithoutNotifyNobodyIsWoken) {
  subscribe("nux", "builds", Channels::Wake::yes);
  Letter quiet = letter("channel:builds");
  quiet.notify = false;
  send("max", quiet);
  EXPECT_TRUE(line("nux").empty());
}

TEST_P(WakefulPostsTest, WhoeverWasAlsoSentItIsWokenForTheMail) {
  subscribe("nux", "builds", Channels::Wake::yes);
  Letter both = letter("channel:builds");
  both.to.emplace_back("nux");
  const auto receipt = send("max", both);
  EXPECT_EQ(line("nux").size(), 1u);
  EXPECT_TRUE(receipt.followers.empty());
}

TEST_P(WakefulPostsTest, APostThatARuleHoldsWakesNobodyAndNamesTheRule) {
  subscribe("nux", "builds", Channels::Wake::yes);
  limits().hops_held = 1;
  send("slit", "max");
  must(room().read(inbox("max").at(0).message.id, Mailroom::Ack::no, caller("max")));  // the next one is the second hop
  const auto receipt = send("max", "channel:builds");
  EXPECT_EQ(receipt.recipients.at(0).state, ReachState::held);
  EXPECT_TRUE(has(receipt.recipients.at(0).reason, "L1")) << receipt.recipients.at(0).reason;
  EXPECT_TRUE(line("nux").empty());
  EXPECT_FALSE(must(room().news_for(agent_of("nux"))).arrived) << "waiting for mail does not end by it";
  EXPECT_EQ(news("nux"), Strings{"builds 1"}) << "it is there for whoever looks";
  const auto told = must(explain(town(), receipt.message.id, caller("overseer")));
  EXPECT_EQ(told.standings.at(0).delivery.held_by, "L1");
  EXPECT_TRUE(has(told.standings.at(0).why, "held by rule L1"));
  EXPECT_TRUE(has(told.history.at(0).detail, "held by L1")) << told.history.at(0).detail;
  send("overseer", "channel:builds");
  EXPECT_TRUE(must(room().news_for(agent_of("nux"))).arrived);
  EXPECT_EQ(line("nux").size(), 1u);
}

TEST_P(WakefulPostsTest, APostOfSomebodyInQuarantineWakesNobody) {
  subscribe("nux", "builds", Channels::Wake::yes);
  must(Cares(town()).quarantine("max", caller("overseer")));
  publish("builds", "evil", "max");
  EXPECT_TRUE(line("nux").empty());
  EXPECT_FALSE(is_woken("nux"));
}

TEST_P(WakefulPostsTest, AQuarantineThatBeginsLaterKeepsThePostFromWaking) {
  subscribe("nux", "builds", Channels::Wake::yes);
  publish("builds", "evil", "max");
  must(Cares(town()).quarantine("max", caller("overseer")));
  EXPECT_FALSE(is_woken("nux"));
  publish("builds", "good", "slit");
  EXPECT_TRUE(is_woken("nux")) << "somebody else's is there, too";
}

TEST_P(WakefulPostsTest, AgentsAreWokenByPostsAsOftenAsByMail) {
  subscribe("nux", "builds", Channels::Wake::yes);
  publish("builds", "first", "max");
  show("nux", Boundary::idle);
  clock().advance(Millis(6000));
  publish("builds", "second", "max");
  EXPECT_FALSE(is_woken("nux")) << "L4: once in thirty seconds";
  clock().advance(minutes(1));
  EXPECT_TRUE(is_woken("nux"));
}

}  // namespace
}  // namespace townpost
