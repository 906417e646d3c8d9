// Who follows a channel, how far it has come, and what becomes of both when two mailboxes become one.
#include "contract/channel_contract.h"

namespace townpost {
namespace {

class SubscriptionContract : public ChannelContract {
 protected:
  bool subscribe(const Subscription& subscription) {
    bool fresh = false;
    write([&](Ledger& ledger) { fresh = must(ledger.add_subscription(subscription)); });
    return fresh;
  }
  bool unsubscribe(ChannelId from, const std::string& member) {
    bool gone = false;
    write([&](Ledger& ledger) { gone = must(ledger.remove_subscription(from, member)); });
    return gone;
  }
  std::vector<Subscription> subscriptions(ChannelId of) {
    return read([&](Ledger& ledger) { return must(ledger.subscriptions(of)); });
  }
  std::vector<Subscription> subscriptions_of(AgentId who) {
    return read([&](Ledger& ledger) { return must(ledger.subscriptions_of(who)); });
  }
  std::optional<Cursor> cursor(ChannelId of, AgentId reader) {
    return read([&](Ledger& ledger) { return must(ledger.cursor(of, reader)); });
  }
  void set_cursor(ChannelId of, AgentId reader, const Cursor& cursor) {
    write([&](Ledger& ledger) { must(ledger.set_cursor(of, reader, cursor)); });
  }
  void merge(AgentId from, AgentId to) {
    write([&](Ledger& ledger) { must(ledger.merge_mailboxes(from, to)); });
  }
};
INSTANTIATE_TEST_SUITE_P(, SubscriptionContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(SubscriptionContract, SubscriptionsAreReadAsTheyWereWrittenByMember) {
  const ChannelId builds = add("builds");
  const Subscription one{.channel = builds, .member = "slit", .agent = slit(), .wake = true, .since = {7}};
  const Subscription many{.channel = builds, .member = "@crew", .agent = std::nullopt, .wake = false, .since = {3}};
  EXPECT_TRUE(subscribe(one));
  EXPECT_TRUE(subscribe(many));
  EXPECT_EQ(subscriptions(builds), (std::vector<Subscription>{many, one}));
  EXPECT_TRUE(subscriptions(add("other")).empty());
}

TEST_P(SubscriptionContract, SubscribingAgainOnlyChangesWhetherToWake) {
  const ChannelId builds = add("builds");
  subscribe({.channel = builds, .member = "slit", .agent = slit(), .wake = false, .since = {7}});
  EXPECT_FALSE(subscribe({.channel = builds, .member = "slit", .agent = slit(), .wake = true, .since = {9}}));
  EXPECT_EQ(subscriptions(builds), (std::vector<Subscription>{{builds, "slit", slit(), true, {7}}}))
      << "what was news stays news";
}

TEST_P(SubscriptionContract, AMailboxHasItsOwnAndThoseOfMany) {
  const ChannelId builds = add("builds");
  const ChannelId talk = add("talk");
  subscribe({.channel = talk, .member = "slit", .agent = slit()});
  subscribe({.channel = builds, .member = "slit", .agent = slit()});
  subscribe({.channel = builds, .member = "nux", .agent = nux()});
  subscribe({.channel = builds, .member = "@crew", .agent = std::nullopt});
  std::vector<std::string> got;
  for (const auto& one : subscriptions_of(slit())) got.push_back(std::to_string(one.channel.key) + " " + one.member);
  EXPECT_EQ(got, (std::vector<std::string>{std::to_string(builds.key) + " @crew", std::to_string(builds.key) + " slit",
                                           std::to_string(talk.key) + " slit"}));
}

TEST_P(SubscriptionContract, OnlyThoseWhoWantItAreWoken) {
  const ChannelId builds = add("builds");
  const ChannelId talk = add("talk");
  subscribe({.channel = builds, .member = "slit", .agent = slit(), .wake = true});
  subscribe({.channel = builds, .member = "nux", .agent = nux(), .wake = false});
  subscribe({.channel = talk, .member = "nux", .agent = nux(), .wake = true});
  const auto waking = read([&](Ledger& ledger) { return must(ledger.waking_subscriptions(builds)); });
  ASSERT_EQ(waking.size(), 1u);
  EXPECT_EQ(waking[0].member, "slit");
}

TEST_P(SubscriptionContract, ASubscriptionEndsOnce) {
  const ChannelId builds = add("builds");
  subscribe({.channel = builds, .member = "slit", .agent = slit()});
  EXPECT_FALSE(unsubscribe(builds, "nux"));
  EXPECT_TRUE(unsubscribe(builds, "slit"));
  EXPECT_FALSE(unsubscribe(builds, "slit"));
  EXPECT_TRUE(subscriptions(builds).empty());
}

TEST_P(SubscriptionContract, EveryReaderHasACursorPerChannel) {
  const ChannelId builds = add("builds");
  const ChannelId talk = add("talk");
  EXPECT_EQ(cursor(builds, slit()), std::nullopt);
  set_cursor(builds, slit(), {{5}, {7}});
  set_cursor(talk, slit(), {{1}, {1}});
  EXPECT_EQ(cursor(builds, slit()), (Cursor{{5}, {7}}));
  EXPECT_EQ(cursor(builds, nux()), std::nullopt);
  set_cursor(builds, slit(), {{9}, {9}});
  EXPECT_EQ(cursor(builds, slit()), (Cursor{{9}, {9}}));
  EXPECT_EQ(cursor(talk, slit()), (Cursor{{1}, {1}}));
}

TEST_P(SubscriptionContract, MergedMailboxesKeepWhatEitherFollowed) {
  const ChannelId builds = add("builds");
  const AgentId old = fresh_agent();
  subscribe({.channel = builds, .member = "old", .agent = old, .wake = true, .since = {4}});
  merge(old, slit());
  const auto all = subscriptions(builds);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].agent, slit());
  EXPECT_TRUE(all[0].wake);
  EXPECT_EQ(all[0].since, MessageId{4});
  EXPECT_TRUE(subscriptions_of(old).empty());
}

TEST_P(SubscriptionContract, OfTwoCursorsTheOneThatGoesOnKeepsItsOwn) {
  const ChannelId builds = add("builds");
  const ChannelId talk = add("talk");
  const AgentId old = fresh_agent();
  set_cursor(builds, old, {{9}, {9}});
  set_cursor(builds, slit(), {{5}, {5}});
  set_cursor(talk, old, {{3}, {4}});
  merge(old, slit());
  EXPECT_EQ(cursor(builds, slit()), (Cursor{{5}, {5}}));
  EXPECT_EQ(cursor(talk, slit()), (Cursor{{3}, {4}}));
  EXPECT_EQ(cursor(builds, old), std::nullopt);
}

TEST_P(SubscriptionContract, OnesOwnPostsStayOnesOwnAfterAMerge) {
  const ChannelId builds = add("builds");
  const AgentId old = fresh_agent();
  publish(builds, old);
  merge(old, slit());
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.count_news({.channel = builds, .reader = slit()})); }), 0);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.count_news({.channel = builds, .reader = nux()})); }), 1);
}

TEST_P(SubscriptionContract, ClaimsAreTheNewMailboxesAfterAMerge) {
  const AgentId old = fresh_agent();
  MessageId id;
  write([&](Ledger& ledger) {
    const auto queue = must(ledger.add_queue({.id = {}, .name = "dispatch", .claimers = "*"}));
    id = post(ledger, nux(), {}).id;
    must(ledger.add_item({.message = id, .queue = queue}));
    must(ledger.claim_next(queue, old, clock().now(), clock().now() + Millis(1000)));
  });
  merge(old, slit());
  write([&](Ledger& ledger) {
    EXPECT_FALSE(must(ledger.complete_item(id, old, clock().now())));
    EXPECT_TRUE(must(ledger.complete_item(id, slit(), clock().now())));
  });
}

}  // namespace
}  // namespace townpost
