#include "base/advice.h"
#include "contract/lists_fixture.h"

namespace townpost {
namespace {

class ChannelsTest : public ListsTest {
 protected:
  Strings subscribers(const std::string& name) {
    Strings out;
    for (const auto& one : must(channels().show(name)).subscribers) out.push_back(one.member);
    return out;
  }
};
ON_EVERY_STORE(ChannelsTest);

TEST_P(ChannelsTest, AChannelIsMadeByAnybodyAndKeepsEverything) {
  const auto view = channel("builds", {}, "nux");
  EXPECT_EQ(view.channel.retain_count, 0);
  EXPECT_EQ(view.channel.retain_for, Millis(0));
  EXPECT_FALSE(view.channel.closed);
  EXPECT_EQ(view.channel.creator, id_of("nux"));
  EXPECT_EQ(must(channels().show("channel:builds")).channel, view.channel);
  channel("talk", {.retain_count = 3, .retain_hours = 2});
  const auto list = must(channels().list());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].channel.retain_count, 3);
  EXPECT_EQ(list[1].channel.retain_for, std::chrono::hours(2));
}

TEST_P(ChannelsTest, LimitsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(error_of(channels().create("x", {.retain_count = -1}, caller("nux"))).code, Code::usage);
  EXPECT_EQ(error_of(channels().create("x", {.retain_hours = -1}, caller("nux"))).code, Code::usage);
  EXPECT_TRUE(must(channels().list()).empty());
}

TEST_P(ChannelsTest, APostIsStoredOnceAndIsInNobodysInbox) {
  channel("builds");
  subscribe("slit", "builds");
  subscribe("max", "builds");
  const Receipt receipt = send("nux", "channel:builds");
  ASSERT_EQ(receipt.recipients.size(), 1u);
  EXPECT_EQ(receipt.recipients[0].address, "channel:builds");
  EXPECT_EQ(receipt.message.to, Strings{"channel:builds"});
  for (const auto* who : {"nux", "slit", "max"}) EXPECT_TRUE(inbox(who).empty()) << who;
  EXPECT_EQ(must(channels().show("builds")).posts, 1);
}

TEST_P(ChannelsTest, AnybodyMayPostAndRead) {
  channel("builds", {}, "nux");
  publish("builds", "from max", "max");
  publish("builds", "from the mayor", "mayor/");
  EXPECT_EQ(read_channel("alpha/refinery", "builds"), (Strings{"from max", "from the mayor"}));
  const auto stranger = must(channels().read("builds", {}, {must(Address::parse("stranger")), Grade::env}));
  EXPECT_EQ(stranger.posts.size(), 2u);
  const MessageId id = stranger.posts[0].id;
  EXPECT_TRUE(room().read(id, Mailroom::Ack::no, caller("slit")).has_value()) << "a post is for everybody";
}

// G175
TEST_P(ChannelsTest, AClosedChannelRefusesPostsAndCanStillBeRead) {
  channel("builds", {}, "nux");
  publish("builds", "before");
  must(channels().set_open("builds", Channels::Open::no, caller("nux")));
  const Error error = refusal("max", "channel:builds");
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_EQ(error.message, "channel builds is closed");
  EXPECT_NE(advice(error), "");
  EXPECT_EQ(on_channel("builds"), Strings{"before"});
  EXPECT_EQ(refusal("max", "channel:missing").message, "channel not found: \"missing\"");
  must(channels().set_open("builds", Channels::Open::yes, caller("nux")));
  publish("builds", "after");
  EXPECT_EQ(on_channel("builds"), (Strings{"before", "after"}));
}

TEST_P(ChannelsTest, ALetterToAClosedChannelAndOthersReachesNobody) {
  channel("builds");
  must(channels().set_open("builds", Channels::Open::no, caller("overseer")));
  EXPECT_FALSE(office().send({{.subject = "s"}, {"max", "channel:builds"}}, caller("nux")).has_value());
  EXPECT_TRUE(inbox("max").empty());
}

TEST_P(ChannelsTest, WhoeverMadeItAndPeopleMayChangeIt) {
  channel("builds", {}, "nux");
  for (const auto* other : {"slit", "mayor/"}) {
    EXPECT_EQ(error_of(channels().update("builds", {.retain_count = 1}, caller(other))).code, Code::forbidden);
    EXPECT_EQ(error_of(channels().set_open("builds", Channels::Open::no, caller(other))).code, Code::forbidden);
    EXPECT_EQ(error_of(channels().remove("builds", Channels::Posts::drop, caller(other))).code, Code::forbidden);
    EXPECT_EQ(error_of(channels().subscribe("builds", "max", Channels::Wake::no, caller(other))).code, Code::forbidden)
        << "for somebody else";
    EXPECT_EQ(error_of(channels().subscribe("builds", "@crew", Channels::Wake::no, caller(other))).code,
              Code::forbidden);
    EXPECT_EQ(error_of(channels().unsubscribe("builds", "max", caller(other))).code, Code::forbidden);
  }
  must(channels().subscribe("builds", "@crew", Channels::Wake::no, caller("nux")));
  must(channels().update("builds", {.retain_count = 5}, caller("nux")));
  must(channels().update("builds", {.retain_hours = 1}, caller("overseer")));
  const auto now = must(channels().show("builds")).channel;
  EXPECT_EQ(now.retain_count, 5) << "only what is given is changed";
  EXPECT_EQ(now.retain_for, std::chrono::hours(1));
  must(channels().remove("builds", Channels::Posts::drop, caller("overseer")));
}

TEST_P(ChannelsTest, ADeletedChannelFreesItsName) {
  channel("builds");
  subscribe("slit", "builds");
  publish("builds");
  must(channels().remove("builds", Channels::Posts::drop, caller("overseer")));
  EXPECT_TRUE(must(channels().list()).empty());
  EXPECT_EQ(refusal("nux", "channel:builds").code, Code::not_found);
  EXPECT_TRUE(news("slit").empty());
  channel("builds");
  EXPECT_TRUE(on_channel("builds").empty());
  EXPECT_TRUE(subscribers("builds").empty());
}

// G177
TEST_P(ChannelsTest, SubscribingTwiceAndUnsubscribingNobodyAreNoErrors) {
  channel("builds");
  subscribe("slit", "builds");
  subscribe("slit", "builds");
  EXPECT_EQ(subscribers("builds"), Strings{"beads/polecats/slit"});
  EXPECT_FALSE(must(channels().unsubscribe("builds", std::nullopt, caller("max"))));
  EXPECT_TRUE(must(channels().unsubscribe("builds", std::nullopt, caller("slit"))));
  EXPECT_FALSE(must(channels().unsubscribe("builds", std::nullopt, caller("slit"))));
  EXPECT_TRUE(subscribers("builds").empty());
}

TEST_P(ChannelsTest, SubscribersAreKeptInTheirCanonicalSpelling) {
  channel("builds");
  group("ops", {"max"});
  for (const auto* member : {"max", "beads/max", "ops", "@ops", "group:ops", "@crew", "beads/polecats/*"})
    must(channels().subscribe("builds", member, Channels::Wake::no, caller("overseer")));
  EXPECT_EQ(subscribers("builds"), (Strings{"@crew", "beads/crew/max", "beads/polecats/*", "group:ops"}));
  for (const auto* bad : {"queue:x", "channel:builds", "*", "a//b"})
    EXPECT_EQ(error_of(channels().subscribe("builds", bad, Channels::Wake::no, caller("overseer"))).code, Code::usage)
        << bad;
  const Error unknown = error_of(channels().subscribe("builds", "ghost", Channels::Wake::no, caller("overseer")));
  EXPECT_EQ(unknown.code, Code::not_found);
  EXPECT_NE(advice(unknown), "");
  EXPECT_EQ(error_of(channels().subscribe("ghost", std::nullopt, Channels::Wake::no, caller("nux"))).code,
            Code::not_found);
}

TEST_P(ChannelsTest, NewsBeginWithTheSubscription) {
  channel("builds");
  publish("builds", "before");
  subscribe("slit", "builds");
  EXPECT_TRUE(news("slit").empty());
  EXPECT_TRUE(unread("slit", "builds").empty());
  publish("builds", "first");
  publish("builds", "second");
  EXPECT_EQ(news("slit"), Strings{"builds 2"});
  EXPECT_EQ(unread("slit", "builds"), (Strings{"first", "second"}));
  EXPECT_TRUE(news("slit").empty());
  EXPECT_TRUE(unread("slit", "builds").empty());
}

TEST_P(ChannelsTest, EachReaderHasACursorOfItsOwn) {
  channel("builds");
  for (const auto* who : {"slit", "max"}) subscribe(who, "builds");
  publish("builds", "one");
  EXPECT_EQ(unread("slit", "builds"), Strings{"one"});
  EXPECT_EQ(news("max"), Strings{"builds 1"});
  publish("builds", "two");
  EXPECT_EQ(unread("slit", "builds"), Strings{"two"});
  EXPECT_EQ(unread("max", "builds"), (Strings{"one", "two"}));
}

TEST_P(ChannelsTest, OnesOwnPostsAreNoNews) {
  channel("builds");
  subscribe("nux", "builds");
  publish("builds", "mine", "nux");
  EXPECT_TRUE(news("nux").empty());
  publish("builds", "theirs", "max");
  publish("builds", "mine too", "nux");
  EXPECT_EQ(news("nux"), Strings{"builds 1"});
  EXPECT_EQ(unread("nux", "builds"), Strings{"theirs"});
  EXPECT_EQ(read_channel("nux", "builds"), (Strings{"mine", "theirs", "mine too"})) << "the whole channel shows all";
}

TEST_P(ChannelsTest, WhatWasNotHandedOverStaysUnread) {
  channel("builds");
  subscribe("slit", "builds");
  publish("builds", "one");
  must(channels().read("builds", {.unread_only = true}, caller("slit")));
  EXPECT_EQ(news("slit"), Strings{"builds 1"});
}

TEST_P(ChannelsTest, UnreadComesInPortions) {
  channel("builds");
  subscribe("slit", "builds");
  for (const auto* subject : {"1", "2", "3", "4", "5"}) publish("builds", subject);
  const Channels::ReadQuery two{.unread_only = true, .limit = 2};
  const auto first = must(channels().read("builds", two, caller("slit")));
  EXPECT_EQ(first.total, 5);
  EXPECT_EQ(read_channel("slit", "builds", two), (Strings{"1", "2"}));
  EXPECT_EQ(news("slit"), Strings{"builds 3"});
  EXPECT_EQ(read_channel("slit", "builds", two), (Strings{"3", "4"}));
  EXPECT_EQ(read_channel("slit", "builds", two), Strings{"5"});
}

TEST_P(ChannelsTest, ReadingTheNewestMarksOnlyWhatWasShown) {
  channel("builds");
  subscribe("slit", "builds");
  for (const auto* subject : {"1", "2", "3"}) publish("builds", subject);
  EXPECT_EQ(read_channel("slit", "builds", {.limit = 2}), (Strings{"2", "3"}));
  EXPECT_EQ(unread("slit", "builds"), (Strings{"1", "2", "3"})) << "the first was left out, so nothing is read";
  publish("builds", "4");
  EXPECT_EQ(read_channel("slit", "builds", {.limit = 2}), (Strings{"3", "4"}));
  EXPECT_TRUE(news("slit").empty()) << "everything new was shown";
}

TEST_P(ChannelsTest, OlderPagesAreReadBackwards) {
  channel("builds");
  std::vector<Message> posts;
  for (const auto* subject : {"1", "2", "3", "4", "5"}) posts.push_back(publish("builds", subject));
  EXPECT_EQ(read_channel("max", "builds", {.limit = 2}), (Strings{"4", "5"}));
  EXPECT_EQ(read_channel("max", "builds", {.below_seq = posts[3].id.seq(), .limit = 2}), (Strings{"2", "3"}));
  EXPECT_EQ(read_channel("max", "builds", {.below_seq = posts[1].id.seq(), .limit = 2}), Strings{"1"});
  EXPECT_EQ(read_channel("max", "builds", {.below_seq = posts[0].id.seq(), .limit = 2}), Strings{});
  EXPECT_EQ(read_channel("max", "builds", {.below_seq = INT64_MAX, .limit = 2}), (Strings{"4", "5"}))
      << "before the end of time";
}

TEST_P(ChannelsTest, OnlyASubscriberHasUnreadPosts) {
  channel("builds");
  publish("builds");
  const Error error = error_of(channels().read("builds", {.unread_only = true}, caller("slit")));
  EXPECT_EQ(error.code, Code::refused);
  EXPECT_TRUE(has(error.message, "not subscribed")) << error.message;
  EXPECT_TRUE(has(advice(error), "channel.subscribe name=builds")) << advice(error);
}

TEST_P(ChannelsTest, APatternOrGroupSubscribesWhoeverItCovers) {
  channel("builds");
  group("ops", {"max"});
  must(channels().subscribe("builds", "beads/polecats/*", Channels::Wake::no, caller("overseer")));
  must(channels().subscribe("builds", "group:ops", Channels::Wake::no, caller("overseer")));
  publish("builds", "one", "alpha/witness");
  for (const auto* who : {"nux", "slit", "max"}) EXPECT_EQ(news(who), Strings{"builds 1"}) << who;
  EXPECT_TRUE(news("beads/witness").empty());
  EXPECT_EQ(unread("nux", "builds"), Strings{"one"});
  EXPECT_EQ(news("slit"), Strings{"builds 1"}) << "each has its own cursor";
  must(groups().edit("ops", Groups::Edit::remove, {"max"}, caller("overseer")));
  EXPECT_TRUE(news("max").empty());
  register_agent("beads/polecats/ace");
  EXPECT_EQ(news("ace"), Strings{"builds 1"}) << "who comes later finds what is there since the subscription";
}

TEST_P(ChannelsTest, FollowingInTwoWaysIsCountedOnce) {
  channel("builds");
  must(channels().subscribe("builds", "@polecats", Channels::Wake::no, caller("overseer")));
  publish("builds", "one", "max");
  subscribe("nux", "builds");
  EXPECT_EQ(news("nux"), Strings{"builds 1"}) << "the earlier subscription counts";
}

TEST_P(ChannelsTest, NewsAreListedByChannel) {
  for (const auto* name : {"zeta", "builds", "quiet"}) {
    channel(name);
    subscribe("slit", name);
  }
  publish("zeta");
  publish("builds");
  publish("builds");
  EXPECT_EQ(news("slit"), (Strings{"builds 2", "zeta 1"}));
}

TEST_P(ChannelsTest, AReplyGoesToTheAuthor) {
  channel("builds");
  const Message post = publish("builds", "main is red", "nux");
  const auto answer = reply("max", post.id);
  EXPECT_EQ(answer.message.to, Strings{"beads/polecats/nux"});
  EXPECT_EQ(answer.message.thread, post.thread);
  EXPECT_EQ(inbox("nux").size(), 1u);
  EXPECT_EQ(on_channel("builds"), Strings{"main is red"});
}

TEST_P(ChannelsTest, APostMayAlsoBeMail) {
  channel("builds");
  subscribe("max", "builds");
  send("nux", {{.subject = "both", .body = "b"}, {"channel:builds", "max"}});
  EXPECT_EQ(subjects("max"), Strings{"both"});
  EXPECT_EQ(news("max"), Strings{"builds 1"});
}

TEST_P(ChannelsTest, ARenamedSubscriberFollowsOnAndCanStopFollowing) {
  channel("builds");
  subscribe("slit", "builds");
  publish("builds", "before");
  must(registry().alias("beads/polecats/slit", "beads/polecats/slitter"));
  EXPECT_EQ(news("beads/polecats/slitter"), Strings{"builds 1"});
  subscribe("beads/polecats/slitter", "builds");
  EXPECT_EQ(must(channels().show("builds")).subscribers.size(), 1u) << "it follows twice";
  must(channels().unsubscribe("builds", std::nullopt, caller("beads/polecats/slitter")));
  EXPECT_TRUE(news("beads/polecats/slitter").empty()) << "it cannot stop following";
}

TEST_P(ChannelsTest, WhatIsReadCountsForTheChainOfTheTurn) {
  channel("builds");
  Message last = send("nux", "slit").message;
  last = reply("slit", last.id).message;
  Letter what = letter("channel:builds");
  what.reply_to = last.id;
  const int depth = send("nux", what).message.hops;
  EXPECT_GT(depth, 2);
  read_channel("max", "builds");
  EXPECT_EQ(send("max", "nux").message.hops, depth + 1);
}

}  // namespace
}  // namespace townpost
