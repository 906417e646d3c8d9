// How posts are told about: in prompts, by waking, by the bell.
#include "contract/lists_fixture.h"
#include "post/nudge/announce.h"

namespace townpost {
namespace {

class ChannelAnnouncementsTest : public ListsTest {
 protected:
  std::string prompt(std::string_view who, Compaction compaction = Compaction::no) {
    const Announcement announcement = must(announce(town(), caller(who), compaction));
    must(announced(town(), caller(who), announcement));
    return announcement.text;
  }
  bool waits(std::string_view who) { return must(room().news_for(agent_of(who))).arrived; }
};
ON_EVERY_STORE(ChannelAnnouncementsTest);

TEST_P(ChannelAnnouncementsTest, EachPostIsAnnouncedOnceInOneLinePerChannel) {
  channel("builds");
  channel("talk");
  for (const auto* name : {"builds", "talk"}) subscribe("max", name);
  EXPECT_EQ(prompt("max"), "");
  publish("builds", "SECRET SUBJECT");
  publish("builds");
  publish("talk");
  const std::string block = prompt("max");
  EXPECT_TRUE(has(block, "Channel builds: 2 new posts (gt channel read builds --unread)\n")) << block;
  EXPECT_TRUE(has(block, "Channel talk: 1 new post (")) << block;
  EXPECT_FALSE(has(block, "SECRET")) << "posts are not quoted";
  EXPECT_FALSE(has(block, "inbox")) << "no mail waits";
  EXPECT_EQ(prompt("max"), "") << "announced twice";
  publish("talk");
  const std::string more = prompt("max");
  EXPECT_TRUE(has(more, "Channel talk: 2 new posts")) << more;
  EXPECT_FALSE(has(more, "builds")) << more;
}

TEST_P(ChannelAnnouncementsTest, WhatNobodyGotIsAnnouncedAgain) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds");
  const auto lost = must(announce(town(), caller("max"), Compaction::no));
  EXPECT_FALSE(lost.text.empty());
  EXPECT_EQ(prompt("max"), lost.text);
}

TEST_P(ChannelAnnouncementsTest, AfterACompactionUnreadPostsAreAnnouncedAgain) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds");
  prompt("max");
  EXPECT_TRUE(has(prompt("max", Compaction::yes), "Channel builds: 1 new post"));
  unread("max", "builds");
  EXPECT_EQ(prompt("max", Compaction::yes), "");
}

TEST_P(ChannelAnnouncementsTest, WhatWasReadIsNotAnnounced) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds");
  unread("max", "builds");
  EXPECT_EQ(prompt("max"), "");
}

TEST_P(ChannelAnnouncementsTest, OnesOwnPostIsNotAnnounced) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds", "mine", "max");
  EXPECT_EQ(prompt("max"), "");
}

TEST_P(ChannelAnnouncementsTest, OnesOwnPostDoesNotAnnounceTheOthersAgain) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds", "theirs", "nux");
  prompt("max");
  publish("builds", "mine", "max");
  EXPECT_EQ(prompt("max"), "") << "nothing is new since the last prompt";
}

TEST_P(ChannelAnnouncementsTest, MailAndChannelsShareABlock) {
  channel("builds");
  subscribe("max", "builds");
  publish("builds");
  const auto id = send("nux", "max", "build is red").message.id;
  const std::string block = prompt("max");
  EXPECT_TRUE(has(block, id.str()) && has(block, "Channel builds: 1 new post")) << block;
  const std::string line = prompt("max");
  EXPECT_TRUE(has(line, "1 unread message") && !has(line, "builds")) << line;
}

TEST_P(ChannelAnnouncementsTest, ChannelsThatDoNotFitAreAnnouncedNextTime) {
  limits().enabled = false;
  const std::string tail(55, 'x');
  for (int i = 0; i < 40; ++i) {
    const std::string name = cat("c", i, "-", tail);
    channel(name);
    subscribe("max", name);
    publish(name);
  }
  std::string all;
  for (int i = 0; i < 6; ++i) all += prompt("max");
  int missing = 0;
  for (int i = 0; i < 40; ++i) missing += has(all, cat("Channel c", i, "-", tail, ":")) ? 0 : 1;
  EXPECT_EQ(missing, 0) << "of 40 channels were never named";
}

TEST_P(ChannelAnnouncementsTest, APostRingsOnceHoweverManySubscribe) {
  channel("builds");
  for (const auto* who : {"slit", "max", "mayor/"}) subscribe(who, "builds");
  const auto channels = bell().rings(BellKey::channels());
  const auto max = bell().rings(id_of("max"));
  publish("builds");
  EXPECT_EQ(bell().rings(BellKey::channels()), channels + 1);
  EXPECT_EQ(bell().rings(id_of("max")), max) << "nobody is woken who did not ask for it";
}

TEST_P(ChannelAnnouncementsTest, OnlyThoseWhoAskedAreWoken) {
  channel("builds");
  subscribe("max", "builds", Channels::Wake::yes);
  subscribe("slit", "builds");
  publish("builds");
  EXPECT_TRUE(waits("max"));
  EXPECT_FALSE(waits("slit"));
  unread("max", "builds");
  EXPECT_FALSE(waits("max"));
}

TEST_P(ChannelAnnouncementsTest, ThoseWhomAPatternWakesAreWokenButNotTheAuthor) {
  channel("builds");
  must(channels().subscribe("builds", "@polecats", Channels::Wake::yes, caller("overseer")));
  const auto nux = bell().rings(id_of("nux"));
  const auto slit = bell().rings(id_of("slit"));
  publish("builds", "news", "nux");
  EXPECT_EQ(bell().rings(id_of("slit")), slit + 1);
  EXPECT_EQ(bell().rings(id_of("nux")), nux);
  EXPECT_TRUE(waits("slit"));
  EXPECT_FALSE(waits("nux"));
}

TEST_P(ChannelAnnouncementsTest, WhoSubscribesAgainMayChooseWhetherToBeWoken) {
  channel("builds");
  subscribe("max", "builds");
  subscribe("max", "builds", Channels::Wake::yes);
  publish("builds");
  EXPECT_TRUE(waits("max"));
  subscribe("max", "builds", Channels::Wake::no);
  EXPECT_FALSE(waits("max"));
}

TEST_P(ChannelAnnouncementsTest, ASubscriptionRingsForThoseWhoTrustAnOldLook) {
  channel("builds");
  const auto before = bell().rings(BellKey::registry());
  subscribe("max", "builds");
  EXPECT_GT(bell().rings(BellKey::registry()), before);
}

}  // namespace
}  // namespace townpost
