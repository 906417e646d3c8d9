#include <atomic>
#include <thread>
#include <vector>

#include "base/text.h"
#include "engine/engine_fixture.h"

namespace townpost {
namespace {

INSTANTIATE_TEST_SUITE_P(Stores, EngineTest, ::testing::Values(Kept::sqlite, Kept::postgres),
                         [](const auto& kept) { return kept.param == Kept::sqlite ? "sqlite" : "postgres"; });

constexpr int kThreads = 64;
constexpr int kRounds = 3;

TEST_P(EngineTest, ManyThreadsCallMixedOperationsAndNothingIsLost) {
  for (int i = 0; i < kThreads; ++i) add_agent(cat("a", i));
  answer("queue.create", {{"name", "jobs"}}, "overseer");
  answer("channel.create", {{"name", "news"}}, "overseer");
  std::atomic<int> claimed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const std::string self = cat("a", i);
      for (int round = 0; round < kRounds; ++round) {
        answer("mail.send",
               {{"to", JsonArray{cat("a", (i + 1) % kThreads)}}, {"subject", cat("s", i, "-", round)}, {"body", "b"}},
               self);
        answer("mail.send", {{"to", JsonArray{"queue:jobs"}}, {"subject", cat("j", i, "-", round)}, {"body", "b"}},
               self);
        answer("mail.check", {}, self);
        answer("status", {}, self);
        if (answer("mail.claim", {{"queue", "jobs"}}, self).is_object()) ++claimed;
        answer("mail.inbox", {{"unread", true}}, self);
        if (round == 0)
          answer("mail.send", {{"to", JsonArray{"channel:news"}}, {"subject", cat("post ", i)}, {"body", "b"}}, self);
      }
    });
  for (auto& thread : threads) thread.join();

  for (int i = 0; i < kThreads; ++i)
    EXPECT_EQ(answer("mail.inbox", {}, cat("a", i)).get_array().size(), static_cast<std::size_t>(kRounds)) << i;
  const auto queue = answer("queue.show", {{"name", "jobs"}}, "overseer");
  EXPECT_EQ(queue.at("available").to_number<int>() + queue.at("processing").to_number<int>(), kThreads * kRounds);
  EXPECT_EQ(queue.at("processing").to_number<int>(), claimed.load());
  EXPECT_EQ(answer("channel.show", {{"name", "news"}}, "overseer").at("posts").to_number<int>(), kThreads);
}

TEST_P(EngineTest, WhatComesAfterItsDeadlineIsNotBegun) {
  add_agent("max");
  Request late = by("overseer");
  late.deadline = host_.clock().now() - Millis(1);
  const auto sent = call(engine_, "mail.send", {{"to", JsonArray{"max"}}, {"subject", "late"}, {"body", "b"}}, late);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, Code::timeout);
  EXPECT_TRUE(answer("mail.inbox", {}, "max").get_array().empty());
}

TEST_P(EngineTest, WhoeverNoLongerWaitsStoresNothing) {
  add_agent("max");
  const auto cancellation = std::make_shared<Cancellation>();
  Request gone = by("overseer");
  gone.cancellation = cancellation;
  cancellation->cancel();
  EXPECT_EQ(
      call(engine_, "mail.send", {{"to", JsonArray{"max"}}, {"subject", "gone"}, {"body", "b"}}, gone).error().code,
      Code::timeout);
  EXPECT_TRUE(answer("mail.inbox", {}, "max").get_array().empty());
}

TEST_P(EngineTest, AWaitEndsWhenItIsCancelled) {
  add_agent("max");
  const auto cancellation = std::make_shared<Cancellation>();
  std::thread waiter([&] {
    Request request = by("max");
    request.cancellation = cancellation;
    EXPECT_EQ(call(engine_, "mail.wait", {{"timeout", "1h"}}, request).error().code, Code::timeout);
  });
  cancellation->cancel();
  waiter.join();
}

TEST_P(EngineTest, AWaitEndsAtItsDeadline) {
  add_agent("max");
  Request request = by("max");
  request.deadline = host_.clock().now() + Millis(30);
  EXPECT_EQ(call(engine_, "mail.wait", {{"timeout", "1h"}}, request).error().code, Code::timeout);
}

TEST_P(EngineTest, AWaitEndsWithTheMailThatItIsFor) {
  add_agent("max");
  std::thread waiter([&] { EXPECT_EQ(answer("mail.wait", {{"timeout", "10m"}}, "max").at("unread"), 1); });
  answer("mail.send", {{"to", JsonArray{"max"}}, {"subject", "here"}, {"body", "b"}}, "overseer");
  waiter.join();
}

TEST_P(EngineTest, WhatFollowsTheHandoverIsDoneOnlyAfterIt) {
  answer("channel.create", {{"name", "news"}}, "overseer");
  add_agent("max");
  answer("channel.subscribe", {{"name", "news"}}, "max");
  answer("mail.send", {{"to", JsonArray{"channel:news"}}, {"subject", "one"}, {"body", "b"}}, "overseer");
  const Op& op = *find_op("channel.read");
  const auto unread = [&] {
    Request request = by("max");
    return engine_.call(op, checked(op, {{"name", "news"}, {"unread", true}}), request)->json.get_array().size();
  };
  EXPECT_EQ(unread(), 1u);
  EXPECT_EQ(unread(), 1u) << "nobody said that the first answer arrived";
  answer("channel.read", {{"name", "news"}, {"unread", true}}, "max");  // handed over
  EXPECT_EQ(unread(), 0u);
}

TEST_P(EngineTest, WhatAnOperationKeepsTravelsWithItsCalls) {
  add_agent("max");
  answer("mail.send", {{"to", JsonArray{"max"}}, {"subject", "one"}, {"body", "b"}}, "overseer");
  Request follower = by("overseer");
  const auto news = [&] { return call(engine_, "feed", {{"follow", true}}, follower)->json.get_array().size(); };
  EXPECT_GT(news(), 0u);
  EXPECT_EQ(news(), 0u) << "told twice";
  answer("mail.send", {{"to", JsonArray{"max"}}, {"subject", "two"}, {"body", "b"}}, "overseer");
  EXPECT_GT(news(), 0u);
}

using EngineDeathTest = EngineTest;
INSTANTIATE_TEST_SUITE_P(Stores, EngineDeathTest, ::testing::Values(Kept::sqlite),
                         [](const auto&) { return "sqlite"; });

TEST_P(EngineDeathTest, AnAnswerThatDoesNotFitItsRowIsABugOfOurs) {
  const Op op{.name = "test.wrong",
              .summary = "Answers with something else than it says",
              .args = {},
              .authority = by_anyone(),
              .where = Where::anywhere,
              .effect = Effect::reads,
              .result = [] { return shape::object("promise", {shape::always("kept", shape::flag())}); },
              .examples = {},
              .run = [](Call&) -> Result<Answer> {
                return Answer{.json = JsonObject{{"kept", "no"}}};
              }};
  Request request = by("overseer");
  EXPECT_DEATH((void)local_.call(op, Args(), request), "test.wrong fits its shape: kept: .* is not true or false");
}

}  // namespace
}  // namespace townpost
