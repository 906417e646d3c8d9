// gt channel …: streams for everybody.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "cli/expect.h"
#include "support/await.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ChannelCommands : public testing::Test {
 protected:
  ChannelCommands() {
    town.rigs({"beads"});
    town.agents({"alice", "bob", "beads/crew/max"});
  }
  std::string post(const std::string& channel, const std::string& subject, const std::string& from = "bob") const {
    return town.send(from, "channel:" + channel, subject, {"-m", "text of " + subject});
  }
  Texts read(const std::string& who, const std::string& channel, const Words& more = {}) const {
    return texts_in(town.json(with({"channel", "read", channel, "--as", who}, more)), "subject");
  }
  TestTown town;
};

TEST_F(ChannelCommands, CreateTakesLimits) {
  const auto channel =
      town.json({"mail", "channel", "create", "builds", "--retain-count", "10", "--retain-hours", "24"});
  EXPECT_EQ(keys_of(channel), (Texts{"id", "name", "status", "retention_count", "retention_hours", "posts", "pruned",
                                     "subscribers", "created_at"}));
  EXPECT_EQ(text_at(channel, "id"), "hq-channel-builds");
  EXPECT_EQ(text_at(channel, "status"), "active");
  EXPECT_EQ(number_at(channel, "retention_count"), 10);
  EXPECT_EQ(number_at(channel, "retention_hours"), 24);
  EXPECT_EQ(town.json({"channel", "show", "builds"}), channel);
  const auto unlimited = town.json({"channel", "create", "talk"});
  EXPECT_EQ(number_at(unlimited, "retention_count"), 0);
  EXPECT_EQ(number_at(unlimited, "retention_hours"), 0);
  EXPECT_EQ(town.gt({"channel", "list"}).out,
            "NAME    STATUS  POSTS  SUBSCRIBERS\n"
            "builds  active      0            0\n"
            "talk    active      0            0\n");
  EXPECT_EQ(town.gt({"channel", "list", "-q"}).out, "hq-channel-builds\nhq-channel-talk\n");
  EXPECT_NE(town.gt({"channel", "show", "talk"}).out.find("talk (hq-channel-talk)\n"), std::string::npos);
}

TEST_F(ChannelCommands, PostsAreReadOldestFirstByAnybody) {
  town.json({"channel", "create", "builds"});
  const auto first = post("builds", "one");
  const auto second = post("builds", "two", "alice");
  const auto posts = town.json({"mail", "channel", "read", "builds", "--as", "beads/crew/max"});
  EXPECT_EQ(texts_in(posts, "id"), (Texts{first, second}));
  EXPECT_EQ(text_at(posts.at(0), "channel"), "builds");
  EXPECT_EQ(text_at(posts.at(0), "body"), "text of one");
  EXPECT_EQ(texts_in(value_at(posts.at(0), "to")), Texts{"channel:builds"});
  const auto text = town.gt({"channel", "read", "builds"}).out;
  EXPECT_LT(text.find("text of one"), text.find("text of two")) << text;
  EXPECT_EQ(town.gt({"channel", "read", "builds", "-q"}).out, first + "\n" + second + "\n");
  EXPECT_EQ(town.gt({"channel", "read", "channel:builds", "-q"}).out, first + "\n" + second + "\n");
  EXPECT_EQ(text_at(town.json({"mail", "read", "2"}), "id"), second) << "its position in the last listing";
}

TEST_F(ChannelCommands, AnEmptyChannelIsAnEmptyList) {
  town.json({"channel", "create", "builds"});
  EXPECT_EQ(town.json({"channel", "read", "builds"}), Json(JsonArray{}));
  const auto text = town.gt({"channel", "read", "builds"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.out, "");
}

TEST_F(ChannelCommands, ASubscriberReadsWhatIsNewOnce) {
  town.json({"channel", "create", "builds"});
  post("builds", "before");
  const auto made = town.json({"channel", "subscribe", "builds", "--as", "alice"});
  EXPECT_EQ(keys_of(made), (Texts{"channel", "member", "wake"}));
  EXPECT_EQ(text_at(made, "member"), "alice");
  EXPECT_FALSE(flag_at(made, "wake"));
  post("builds", "one");
  post("builds", "two");
  EXPECT_EQ(read("alice", "builds", {"--unread", "--limit", "1"}), Texts{"one"});
  EXPECT_EQ(read("alice", "builds", {"--unread"}), Texts{"two"});
  EXPECT_EQ(read("alice", "builds", {"--unread"}), Texts{});
  EXPECT_EQ(read("alice", "builds"), (Texts{"before", "one", "two"}));
  expect_refused_untouched(town, {"channel", "read", "builds", "--unread", "--as", "bob"},
                           {5, "refused", "not subscribed"});
}

TEST_F(ChannelCommands, OlderPostsAreReadWithACursor) {
  town.json({"channel", "create", "builds"});
  for (const auto* subject : {"1", "2", "3", "4"}) post("builds", subject);
  const auto newest = town.json({"channel", "read", "builds", "--limit", "2"});
  EXPECT_EQ(texts_in(newest, "subject"), (Texts{"3", "4"}));
  const auto seq = std::to_string(number_at(newest.at(0), "seq"));
  EXPECT_EQ(read("alice", "builds", {"--cursor", seq}), (Texts{"1", "2"}));
}

TEST_F(ChannelCommands, TextSaysHowManyPostsAreLeft) {
  town.json({"channel", "create", "builds"});
  town.json({"channel", "subscribe", "builds", "--as", "alice"});
  for (const auto* subject : {"1", "2", "3", "4"}) post("builds", subject);
  const auto seq = std::to_string(number_at(town.json({"channel", "read", "builds", "--limit", "1"}).at(0), "seq"));
  const auto newest = lines_of(town.gt({"channel", "read", "builds", "--limit", "1"}).out);
  EXPECT_EQ(newest.back(), "+3 more: --cursor " + seq);
  const auto unread = lines_of(town.gt({"channel", "read", "builds", "--unread", "--limit", "1", "--as", "alice"}).out);
  EXPECT_EQ(unread.back(), "+3 more: --limit 4");
  const auto all = town.gt({"channel", "read", "builds"}).out;
  EXPECT_EQ(all.find(" more: "), std::string::npos) << all;
}

TEST_F(ChannelCommands, CheckCountsNewPostsPerChannel) {
  for (const auto* name : {"builds", "talk"}) {
    town.json({"channel", "create", name});
    town.json({"channel", "subscribe", name, "--as", "alice"});
  }
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
  post("builds", "one");
  post("builds", "two");
  post("talk", "three");
  const auto json = town.gt({"mail", "check", "--as", "alice", "--json"});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(json.out, R"({"unread":0,"channels":[{"channel":"builds","unread":2},{"channel":"talk","unread":1}]})"
                      "\n");
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).out,
            "channel builds: 2 new: gt channel read builds --unread\n"
            "channel talk: 1 new: gt channel read talk --unread\n");
  EXPECT_EQ(town.json({"mail", "inbox", "--as", "alice"}), Json(JsonArray{})) << "posts are not in the inbox";
  read("alice", "builds", {"--unread"});
  read("alice", "talk", {"--unread"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
  EXPECT_EQ(town.gt({"mail", "check", "--as", "bob"}).exit_code, 1) << "one's own posts are no news";
}

TEST_F(ChannelCommands, AnEarlierLookThatFoundNothingHidesNoPost) {
  town.json({"channel", "create", "builds"});
  town.json({"channel", "subscribe", "builds", "--as", "alice"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
  post("builds", "one");
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 0);
  read("alice", "builds", {"--unread"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "beads/crew/max"}).exit_code, 1);
  post("builds", "two");
  town.json({"channel", "unsubscribe", "builds", "--as", "alice"});
  EXPECT_EQ(town.gt({"mail", "check", "--as", "alice"}).exit_code, 1);
}

TEST_F(ChannelCommands, APromptIsToldOncePerPost) {
  town.json({"channel", "create", "builds"});
  town.json({"channel", "subscribe", "builds", "@crew"});
  post("builds", "one");
  const auto first = town.gt({"mail", "check", "--inject", "--as", "beads/crew/max"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_NE(first.out.find("Channel builds: 1 new post"), std::string::npos) << first.out;
  EXPECT_EQ(town.gt({"mail", "check", "--inject", "--as", "beads/crew/max"}).out, "");
  EXPECT_NE(town.gt({"mail", "check", "--inject", "--after-compaction", "--as", "beads/crew/max"}).out, "");
}

// G177
TEST_F(ChannelCommands, SubscribingTwiceAndUnsubscribingNobodyExitZero) {
  town.json({"channel", "create", "builds"});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(town.gt({"channel", "subscribe", "builds", "--as", "alice"}).exit_code, 0);
  EXPECT_EQ(texts_in(town.json({"channel", "subscribers", "builds"}), "member"), Texts{"alice"});
  EXPECT_TRUE(flag_at(town.json({"channel", "unsubscribe", "builds", "--as", "alice"}), "removed"));
  EXPECT_FALSE(flag_at(town.json({"mail", "channel", "unsubscribe", "builds", "--as", "alice"}), "removed"));
  EXPECT_EQ(town.json({"channel", "subscribers", "builds"}), Json(JsonArray{}));
}

TEST_F(ChannelCommands, PatternsAndOthersAreSubscribedByThoseWhoMay) {
  town.json({"channel", "create", "builds", "--as", "alice"});
  town.json({"channel", "subscribe", "builds", "@crew", "--wake", "--as", "alice"});
  town.json({"channel", "subscribe", "builds", "bob"});
  const auto subscribers = town.json({"mail", "channel", "subscribers", "builds"});
  EXPECT_EQ(texts_in(subscribers, "member"), (Texts{"@crew", "bob"}));
  EXPECT_TRUE(flag_at(subscribers.at(0), "wake"));
  EXPECT_FALSE(flag_at(subscribers.at(1), "wake"));
  EXPECT_EQ(town.gt({"channel", "subscribers", "builds"}).out, "MEMBER  WAKE\n@crew   yes\nbob     no\n");
  expect_refused_untouched(town, {"channel", "subscribe", "builds", "alice", "--as", "bob"},
                           {5, "forbidden", "builds"});
  expect_refused_untouched(town, {"channel", "unsubscribe", "builds", "@crew", "--as", "bob"},
                           {5, "forbidden", "builds"});
}

// G175
TEST_F(ChannelCommands, CloseReopenDelete) {
  town.json({"channel", "create", "builds"});
  post("builds", "one");
  EXPECT_EQ(text_at(town.json({"mail", "channel", "close", "builds"}), "status"), "closed");
  expect_refused_untouched(town, {"mail", "send", "-m", "", "channel:builds", "-s", "x"}, {5, "refused", "is closed"});
  EXPECT_EQ(read("alice", "builds"), Texts{"one"});
  EXPECT_EQ(text_at(town.json({"mail", "channel", "reopen", "builds"}), "status"), "active");
  post("builds", "two");
  EXPECT_EQ(town.json({"mail", "channel", "delete", "builds", "--force"}), (Json{{"removed", "builds"}, {"posts", 2}}));
  expect_refused_untouched(town, {"mail", "send", "-m", "", "channel:builds", "-s", "x"},
                           {4, "not_found", "channel not found"});
}

// G179, G182
TEST_F(ChannelCommands, RetentionPrunesAndRecords) {
  town.json({"channel", "create", "builds", "--retain-count", "3"});
  Texts ids;
  for (const auto* subject : {"1", "2", "3", "4", "5"}) ids.push_back(post("builds", subject));
  EXPECT_EQ(read("alice", "builds"), (Texts{"3", "4", "5"}));
  const auto records = town.json({"mail", "channel", "pruned", "builds"});
  EXPECT_EQ(texts_in(records, "id"), (Texts{ids[1], ids[0]}));
  EXPECT_EQ(keys_of(records.at(0)), (Texts{"id", "from", "subject", "timestamp", "pruned_at", "reason"}));
  EXPECT_EQ(text_at(records.at(0), "from"), "bob");
  EXPECT_EQ(town.gt({"channel", "pruned", "builds", "--limit", "1", "-q"}).out, ids[1] + "\n");
  EXPECT_EQ(number_at(town.json({"channel", "show", "builds"}), "pruned"), 2);
  expect_refused_untouched(town, {"mail", "read", ids[0], "--as", "alice"}, {4, "not_found", "was pruned"});

  EXPECT_EQ(number_at(town.json({"mail", "channel", "update", "builds", "--retain-count", "1"}), "retention_count"), 1);
  EXPECT_EQ(town.json({"mail", "channel", "prune", "builds"}), (Json{{{"name", "builds"}, {"pruned", 2}}}));
  EXPECT_EQ(town.gt({"channel", "prune"}).out, "NAME    PRUNED\nbuilds       0\n");
  EXPECT_EQ(read("alice", "builds"), Texts{"5"});
}

TEST_F(ChannelCommands, AReplyGoesToTheAuthor) {
  town.json({"channel", "create", "builds"});
  const auto id = post("builds", "main is red");
  const auto answer = town.json({"mail", "reply", id, "-m", "on it", "--as", "alice"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Texts{"bob"});
  EXPECT_EQ(inbox_ids(town, "bob"), Texts{text_at(answer, "id")});
  EXPECT_EQ(read("alice", "builds"), Texts{"main is red"});
}

TEST_F(ChannelCommands, BadCallsLoseNothing) {
  town.json({"channel", "create", "builds"});
  town.json({"group", "create", "ops", "alice"});
  for (const auto& [words, refusal] : std::vector<std::pair<Words, Refusal>>{
           {{"channel", "create"}, {2, "usage", "NAME"}},
           {{"channel", "create", "Bad"}, {2, "usage", "Bad"}},
           {{"channel", "create", "builds"}, {5, "refused", "already exists"}},
           {{"channel", "create", "ops"}, {5, "refused", "group"}},
           {{"channel", "create", "x", "--retain-count", "-1"}, {2, "usage", "retain-count"}},
           {{"channel", "create", "x", "--retain-count", "many"}, {2, "usage", "retain-count"}},
           {{"channel", "create", "x", "--retain-hours", "-1"}, {2, "usage", "retain-hours"}},
           {{"channel", "create", "x", "--retain-hours", "99999999"}, {2, "usage", "retain-hours"}},
           {{"channel", "update", "nothing", "--retain-count", "1"}, {4, "not_found", "nothing"}},
           {{"channel", "update", "builds", "--retain-count", "1", "--as", "alice"}, {5, "forbidden", "builds"}},
           {{"channel", "close", "builds", "--as", "alice"}, {5, "forbidden", "builds"}},
           {{"channel", "delete", "builds", "--as", "alice"}, {5, "forbidden", "builds"}},
           {{"channel", "show", "build"}, {4, "not_found", "channel not found"}},
           {{"channel", "read", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "read", "builds", "--limit", "0"}, {2, "usage", "limit"}},
           {{"channel", "read", "builds", "--limit", "10001"}, {2, "usage", "limit"}},
           {{"channel", "pruned", "builds", "--limit", "0"}, {2, "usage", "limit"}},
           {{"channel", "pruned", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "prune", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "subscribe", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "subscribe", "builds", "ghost"}, {4, "not_found", "ghost"}},
           {{"channel", "subscribe", "builds", "queue:x"}, {2, "usage", "queue"}},
           {{"channel", "unsubscribe", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "subscribers", "nothing"}, {4, "not_found", "nothing"}},
           {{"channel", "reopen", "nothing"}, {4, "not_found", "nothing"}},
           {{"mail", "send", "-m", "", "channel:nothing", "-s", "x"}, {4, "not_found", "channel not found"}},
           {{"agent", "add", "builds"}, {5, "refused", "channel"}}})
    expect_refused_untouched(town, words, refusal);
}

TEST_F(ChannelCommands, AWakingSubscriptionEndsAWait) {
  town.json({"channel", "create", "builds"});
  town.json({"channel", "subscribe", "builds", "--as", "alice"});
  post("builds", "quiet");
  EXPECT_EQ(town.gt({"mail", "wait", "--timeout", "50ms", "--as", "alice"}).exit_code, 8) << "no wake was asked for";
  read("alice", "builds", {"--unread"});
  town.json({"channel", "subscribe", "builds", "--wake", "--as", "alice"});
  auto waiter = std::async(std::launch::async, [&] {
    return town.gt({"mail", "wait", "--timeout", "100s", "--as", "alice", "--json"});
  });
  const auto bell = town.folder() / ".town" / "run" / "ear" / town.sql("SELECT id FROM agent WHERE address = 'alice'");
  await("it listens", [&] { return fs::exists(bell); });
  post("builds", "loud");
  ASSERT_EQ(waiter.wait_for(std::chrono::seconds(12)), std::future_status::ready) << "nobody woke it";
  const auto output = waiter.get();
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "{\"unread\":0,\"channels\":[{\"channel\":\"builds\",\"unread\":1}]}\n");
}

}  // namespace
}  // namespace townpost
