#include "contract/channel_contract.h"

namespace townpost {
namespace {

using Ids = std::vector<MessageId>;
constexpr MessageId kAll{INT64_MAX};

INSTANTIATE_TEST_SUITE_P(, ChannelContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(ChannelContract, AChannelIsReadAsItWasWritten) {
  Channel wanted{.id = {},
                 .name = "builds",
                 .retain_count = 10,
                 .retain_for = std::chrono::hours(24),
                 .closed = true,
                 .creator = nux(),
                 .created_at = clock().now(),
                 .pruned = 3,
                 .prune_at = clock().now() + Millis(5)};
  write([&](Ledger& ledger) { wanted.id = must(ledger.add_channel(wanted)); });
  EXPECT_EQ(channel(wanted.id), wanted);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_channel("builds")); }), wanted);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_channel("build")); }), std::nullopt);
}

TEST_P(ChannelContract, AChannelCanBeChanged) {
  Channel changed = channel(add("builds"));
  changed.retain_count = 3;
  changed.retain_for = Millis(1);
  changed.closed = true;
  changed.pruned = 9;
  changed.prune_at = clock().now();
  write([&](Ledger& ledger) { must(ledger.update_channel(changed)); });
  EXPECT_EQ(channel(changed.id), changed);
  changed.prune_at.reset();
  write([&](Ledger& ledger) { must(ledger.update_channel(changed)); });
  EXPECT_EQ(channel(changed.id), changed);
}

TEST_P(ChannelContract, ANameIsUniqueAmongChannelsThatAreThere) {
  add("zeta");
  const ChannelId first = add("builds");
  EXPECT_FALSE(store()
                   .write([&](Ledger& ledger) -> Result<> {
                     TRY_VOID(ledger.add_channel({.id = {}, .name = "builds", .creator = nux()}));
                     return {};
                   })
                   .has_value());
  publish(first);
  write([&](Ledger& ledger) { must(ledger.delete_channel(first, clock().now())); });
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.find_channel("builds")); }), std::nullopt);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.channels()); }).size(), 1u);
  EXPECT_EQ(channel(first).name, "builds") << "what is gone can still be asked for by its key";
  const ChannelId second = add("builds");
  EXPECT_NE(first, second);
  EXPECT_EQ(count(second), 0);
  std::vector<std::string> names;
  for (const auto& one : read([](Ledger& ledger) { return must(ledger.channels()); })) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"builds", "zeta"}));
}

TEST_P(ChannelContract, APostIsInOneChannel) {
  const ChannelId builds = add("builds");
  const ChannelId other = add("other");
  const Message message = publish(builds);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.post(message.id)).value().channel; }), builds);
  const MessageId mail = post(nux(), {slit()}).id;
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.post(mail)); }), std::nullopt);
  EXPECT_FALSE(store().write([&](Ledger& ledger) { return ledger.add_post(other, message, ""); }).has_value());
  EXPECT_EQ(count(other), 0);
}

TEST_P(ChannelContract, NewsAreOthersPostsBehindTheCursorOldestFirst) {
  const ChannelId builds = add("builds");
  const ChannelId other = add("other");
  const Message before = publish(builds);
  const Message first = publish(builds);
  publish(builds, slit());
  publish(other);
  const Message second = publish(builds);
  const auto news = [&](AgentId reader, MessageId after, Instant since, int limit) {
    const auto posts = read([&](Ledger& ledger) {
      return must(ledger.news({.channel = builds, .reader = reader, .after = after, .since = since}, limit));
    });
    return ids_of(posts);
  };
  EXPECT_EQ(news(slit(), before.id, {}, 10), (Ids{first.id, second.id}));
  EXPECT_EQ(news(slit(), {}, {}, 10), (Ids{before.id, first.id, second.id}));
  EXPECT_EQ(news(slit(), {}, {}, 2), (Ids{before.id, first.id}));
  EXPECT_EQ(news(slit(), second.id, {}, 10), Ids{});
  EXPECT_EQ(news(nux(), {}, {}, 10).size(), 1u) << "only slit's is new to nux";
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.news({.channel = builds, .reader = slit()}, 1)); }).at(0),
            before);

  const auto number = [&](AgentId reader, MessageId after, Instant since) {
    return read([&](Ledger& ledger) {
      return must(ledger.count_news({.channel = builds, .reader = reader, .after = after, .since = since}));
    });
  };
  EXPECT_EQ(number(slit(), before.id, {}), 2);
  EXPECT_EQ(number(slit(), {}, {}), 3);
  EXPECT_EQ(number(nux(), {}, {}), 1);
  EXPECT_EQ(number(slit(), second.id, {}), 0);
}

TEST_P(ChannelContract, PostsBeforeAnInstantAreLeftOut) {
  const ChannelId builds = add("builds");
  const Message old = publish(builds);
  clock().advance(Millis(1000));
  const Instant since = clock().now();
  const Message young = publish(builds);
  read([&](Ledger& ledger) {
    EXPECT_EQ(ids_of(must(ledger.news({.channel = builds, .reader = slit(), .since = since}, 10))), Ids{young.id});
    EXPECT_EQ(must(ledger.count_news({.channel = builds, .reader = slit(), .since = since})), 1);
    EXPECT_EQ(ids_of(must(ledger.newest_posts({.channel = builds, .since = since, .limit = 10}))), Ids{young.id});
    EXPECT_EQ(must(ledger.count_posts(builds, since, kAll)), 1);
    EXPECT_EQ(must(ledger.count_posts(builds, since + Millis(1), kAll)), 0);
    EXPECT_EQ(must(ledger.count_posts(builds, {}, kAll)), 2);
    EXPECT_EQ(must(ledger.oldest_post_at(builds)), old.created_at);
    return true;
  });
}

TEST_P(ChannelContract, TheNewestPostsComeFirstInPages) {
  const ChannelId builds = add("builds");
  Ids sent;
  for (int i = 0; i < 7; ++i) sent.insert(sent.begin(), publish(builds, i % 2 == 0 ? nux() : slit()).id);
  Ids got;
  MessageId below{INT64_MAX};
  while (true) {
    const auto page = ids_of(read(
        [&](Ledger& ledger) { return must(ledger.newest_posts({.channel = builds, .below = below, .limit = 3})); }));
    if (page.empty() || got.size() > sent.size()) break;
    got.insert(got.end(), page.begin(), page.end());
    below = page.back();
  }
  EXPECT_EQ(got, sent);
  EXPECT_EQ(read([&](Ledger& ledger) { return must(ledger.newest_post(builds)); }), sent.front());
}

TEST_P(ChannelContract, AnEmptyChannelHasNothingNewest) {
  const ChannelId builds = add("builds");
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.newest_post(builds)), MessageId{});
    EXPECT_EQ(must(ledger.oldest_post_at(builds)), std::nullopt);
    EXPECT_TRUE(must(ledger.surplus_posts(builds, 0, 10)).empty());
    EXPECT_TRUE(must(ledger.old_posts(builds, {INT64_MAX}, 10)).empty());
    return true;
  });
}

TEST_P(ChannelContract, SurplusIsWhatLiesBeyondTheNewest) {
  const ChannelId builds = add("builds");
  Ids sent;
  for (int i = 0; i < 5; ++i) sent.push_back(publish(builds).id);
  publish(add("other"));
  const auto surplus = [&](std::int64_t keep, int most) {
    return read([&](Ledger& ledger) { return must(ledger.surplus_posts(builds, keep, most)); });
  };
  EXPECT_EQ(surplus(5, 10), Ids{});
  EXPECT_EQ(surplus(6, 10), Ids{});
  EXPECT_EQ(surplus(3, 10), (Ids{sent[0], sent[1]}));
  EXPECT_EQ(surplus(3, 1), Ids{sent[0]});
  EXPECT_EQ(surplus(0, 10), sent);
}

TEST_P(ChannelContract, OldIsUpToAndWithTheInstant) {
  const ChannelId builds = add("builds");
  Ids sent;
  for (int i = 0; i < 3; ++i) {
    sent.push_back(publish(builds).id);
    clock().advance(Millis(10));
  }
  const Instant second = clock().now() - Millis(20);
  const auto old = [&](Instant before, int most) {
    return read([&](Ledger& ledger) { return must(ledger.old_posts(builds, before, most)); });
  };
  EXPECT_EQ(old(second - Millis(1), 10), Ids{sent[0]});
  EXPECT_EQ(old(second, 10), (Ids{sent[0], sent[1]}));
  EXPECT_EQ(old(second, 1), Ids{sent[0]});
}

TEST_P(ChannelContract, APrunedPostLeavesARecord) {
  const ChannelId builds = add("builds");
  const Message first = publish(builds);
  const Message second = publish(builds);
  const Message last = publish(builds);
  const PrunedPost record{.message = first.id,
                          .channel = builds,
                          .created_at = first.created_at,
                          .pruned_at = clock().now() + Millis(1),
                          .from = "nux",
                          .subject = "Hallo – «é»",
                          .reason = "beyond the newest 1",
                          .sender = nux()};
  PrunedPost later = record;
  later.message = second.id;
  write([&](Ledger& ledger) {
    must(ledger.prune_post(record));
    must(ledger.prune_post(later));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.pruned_post(first.id)), record);
    EXPECT_EQ(must(ledger.pruned_post(last.id)), std::nullopt);
    EXPECT_EQ(must(ledger.pruned_posts(builds, 10)), (std::vector<PrunedPost>{later, record})) << "newest first";
    EXPECT_EQ(must(ledger.pruned_posts(builds, 1)), std::vector<PrunedPost>{later});
    EXPECT_EQ(must(ledger.post(first.id)), std::nullopt);
    EXPECT_EQ(must(ledger.count_posts(builds, {}, kAll)), 1);
    EXPECT_TRUE(must(ledger.message(first.id)).has_value()) << "what becomes of the message is the caller's business";
    return true;
  });
}

TEST_P(ChannelContract, APostThatWasPrunedWasSentAllTheSame) {
  const ChannelId builds = add("builds");
  const Instant start = clock().now();
  std::vector<Message> posts;
  for (int second = 0; second < 4; ++second) {
    clock().set(start + std::chrono::seconds(second));
    posts.push_back(publish(builds));
  }
  const auto prune = [&](Ledger& ledger, const Message& post) {
    must(ledger.prune_post(
        {.message = post.id, .channel = builds, .created_at = post.created_at, .sender = post.sender}));
  };
  write([&](Ledger& ledger) {
    prune(ledger, posts[0]);
    prune(ledger, posts[2]);
    must(ledger.erase_message(posts[2].id));
  });
  const auto times = [&](AgentId sender, Instant since, int most) {
    return reading(store(), [&](Ledger& ledger) {
      return must(ledger.send_times(sender, std::nullopt, {since, start + std::chrono::hours(1)}, most));
    });
  };
  const auto at = [&](int second) { return start + std::chrono::seconds(second); };
  const auto sender = posts[0].sender;
  EXPECT_EQ(times(sender, start, 10), (std::vector<Instant>{at(3), at(2), at(1), at(0)})) << "each of them once";
  EXPECT_EQ(times(sender, at(2), 10), (std::vector<Instant>{at(3), at(2)}));
  EXPECT_EQ(times(sender, start, 2), (std::vector<Instant>{at(3), at(2)}));
  EXPECT_EQ(times(sender, start, 0), std::vector<Instant>());
  write([&](Ledger& ledger) { must(ledger.merge_mailboxes(sender, slit())); });
  EXPECT_EQ(times(slit(), start, 10).size(), 4u) << "whoever goes on for the sender has sent them";
  EXPECT_TRUE(times(sender, start, 10).empty());
}

TEST_P(ChannelContract, AnErasedMessageIsGoneEverywhereButInTheRecords) {
  const ChannelId builds = add("builds");
  const Message post_to_go = publish(builds);
  QueueId queue;
  Message work;
  write([&](Ledger& ledger) {
    queue = must(ledger.add_queue({.id = {}, .name = "dispatch", .claimers = "*"}));
    work = post(ledger, nux(), {slit()});
    must(ledger.add_item({.message = work.id, .queue = queue}));
  });
  publish(builds);
  write([&](Ledger& ledger) {
    must(ledger.prune_post({.message = post_to_go.id,
                            .channel = builds,
                            .created_at = post_to_go.created_at,
                            .pruned_at = clock().now(),
                            .from = "nux",
                            .subject = "news",
                            .reason = "old"}));
    must(ledger.erase_message(post_to_go.id));
    must(ledger.erase_message(work.id));
  });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.message(post_to_go.id)), std::nullopt);
    EXPECT_TRUE(must(ledger.pruned_post(post_to_go.id)).has_value());
    EXPECT_EQ(must(ledger.message(work.id)), std::nullopt);
    EXPECT_EQ(must(ledger.item(work.id)), std::nullopt) << "a queue would hand out what is no more";
    EXPECT_TRUE(must(ledger.deliveries(work.id)).empty());
    EXPECT_EQ(must(ledger.count_items(queue, 5, clock().now())), QueueCounts{});
    return true;
  });
}

TEST_P(ChannelContract, AnErasedPostIsNoLongerInItsChannel) {
  const ChannelId builds = add("builds");
  const Message gone = publish(builds);
  publish(builds);
  write([&](Ledger& ledger) { must(ledger.erase_message(gone.id)); });
  read([&](Ledger& ledger) {
    EXPECT_EQ(must(ledger.count_posts(builds, {}, kAll)), 1);
    EXPECT_EQ(must(ledger.post(gone.id)), std::nullopt);
    return true;
  });
}

}  // namespace
}  // namespace townpost
