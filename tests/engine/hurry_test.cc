// Many callers who are in a hurry or go away, at an engine that serves a few at a time.
#include <atomic>
#include <latch>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "base/text.h"
#include "engine/engine_fixture.h"
#include "ops/bounded_engine.h"

namespace townpost {
namespace {

constexpr int kThreads = 64;
constexpr int kRounds = 2;
constexpr std::size_t kRunning = 4, kWaiting = 8;

/// What a caller wants of one call besides its answer.
enum class Wish { answer, soon, gone };

class HurryTest : public EngineTest {
 protected:
  HurryTest() {
    for (int i = 0; i < kThreads; ++i) add_agent(cat("a", i));
    answer("queue.create", {{"name", "jobs"}}, "overseer");
  }

  /// One call; whether it did what it is there for. Whoever is told that all places are taken comes again, as it is
  /// told.
  bool served(std::string_view op, const JsonObject& args, const std::string& who, Wish wish, std::mt19937& chance) {
    while (true) {
      Request request = by(who);
      std::shared_ptr<Cancellation> cancellation;
      std::thread leaver;
      if (wish == Wish::soon) request.deadline = host_.clock().now() + Millis(chance() % 6);
      if (wish == Wish::gone) {
        cancellation = std::make_shared<Cancellation>();
        request.cancellation = cancellation;
        leaver = std::thread([cancellation] { cancellation->cancel(); });
      }
      const auto got = call(gate_, op, args, request);
      if (leaver.joinable()) leaver.join();
      if (got) return ++answered_, true;
      const auto code = got.error().code;
      if (code == Code::timeout) {
        EXPECT_NE(wish, Wish::answer) << op << ": " << got.error().message;
        return ++left_, false;
      }
      EXPECT_EQ(code, Code::unavailable) << op << ": " << got.error().message;
      if (code != Code::unavailable) return false;
      ++refused_;
      std::this_thread::sleep_for(Millis(1));  // "try again in a moment"
    }
  }

  BoundedEngine gate_{engine_, host_.clock(), {.running = kRunning, .waiting = kWaiting}};
  std::atomic<int> answered_ = 0, left_ = 0, refused_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, HurryTest, ::testing::Values(Kept::sqlite, Kept::postgres),
                         [](const auto& kept) { return kept.param == Kept::sqlite ? "sqlite" : "postgres"; });

TEST_P(HurryTest, WhoGotAnAnswerIsStoredAndWhoGotNoneIsNot) {
  std::vector<std::set<std::string>> sent(kThreads);  // the subjects to each, as their senders know them
  std::atomic<int> put = 0, claimed = 0;
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      std::mt19937 chance(static_cast<unsigned>(i));
      const std::string self = cat("a", i);
      const int next = (i + 1) % kThreads;
      const auto wish = [&] { return static_cast<Wish>(chance() % 3); };
      start.arrive_and_wait();
      for (int round = 0; round < kRounds; ++round) {
        const std::string subject = cat("s", i, "-", round);
        if (served("mail.send", {{"to", {cat("a", next)}}, {"subject", subject}, {"body", "b"}}, self, wish(), chance))
          sent[static_cast<std::size_t>(next)].insert(subject);  // each is written by one thread
        if (served("mail.send", {{"to", {"queue:jobs"}}, {"subject", "j" + subject}, {"body", "b"}}, self, wish(),
                   chance))
          ++put;
        served("mail.inbox", {{"unread", true}}, self, wish(), chance);
        served("mail.check", {}, self, wish(), chance);
        served("status", {}, self, wish(), chance);
        Request request = by(self);
        const auto job = call(engine_, "mail.claim", {{"queue", "jobs"}}, request);
        if (job && job->json.is_object()) ++claimed;
        EXPECT_TRUE(job.has_value()) << job.error().message;
        // Nobody sends to it any more once all have sent, so it may wait for as long as it likes: it is called off.
        served("mail.wait", {{"timeout", "1h"}}, self, Wish::gone, chance);
      }
    });
  for (auto& thread : threads) thread.join();

  for (int i = 0; i < kThreads; ++i) {
    std::set<std::string> stored;
    const auto inbox = answer("mail.inbox", {}, cat("a", i));
    for (const auto& mail : inbox.get_array())
      EXPECT_TRUE(stored.insert(std::string(mail.at("subject").get_string())).second) << "twice: " << to_line(mail);
    EXPECT_EQ(stored, sent[static_cast<std::size_t>(i)]) << "a" << i;
  }
  const auto queue = answer("queue.show", {{"name", "jobs"}}, "overseer");
  EXPECT_EQ(queue.at("available").to_number<int>() + queue.at("processing").to_number<int>(), put.load());
  EXPECT_EQ(queue.at("processing").to_number<int>(), claimed.load());
  EXPECT_GT(answered_.load(), kThreads * kRounds) << "too few were answered for this to mean anything";
  EXPECT_GT(left_.load(), kThreads) << "too few went away for this to mean anything";
  EXPECT_GT(refused_.load(), 0) << "there was a place for everybody";
}

/// Serves nobody until it is let.
class ClosedEngine final : public Engine {
 public:
  explicit ClosedEngine(Engine& engine) : engine_(engine) {}
  Result<Answer> call(const Op& op, const Args& args, Request& request) override {
    ++inside;
    open.wait();
    return engine_.call(op, args, request);
  }
  Result<> handed_over(Request& request) override { return engine_.handed_over(request); }
  Result<std::unique_ptr<Pause>> pause(const Again& again, Request& request) override {
    return engine_.pause(again, request);
  }
  std::atomic<int> inside = 0;
  std::latch open{1};

 private:
  Engine& engine_;
};

TEST_P(HurryTest, WhenItIsFullEverybodyElseIsToldToComeAgainAndNothingOfTheirsIsStored) {
  ClosedEngine closed(engine_);
  BoundedEngine gate(closed, host_.clock(), {.running = kRunning, .waiting = kWaiting});
  std::atomic<int> stored = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      Request request = by(cat("a", i));
      const auto got =
          call(gate, "mail.send", {{"to", {"overseer"}}, {"subject", cat("s", i)}, {"body", "b"}}, request);
      if (got) ++stored;
      if (!got && got.error().code == Code::unavailable) ++refused;
    });
  // Those that found a place stay until it opens; all others are answered before.
  constexpr int kPlaces = static_cast<int>(kRunning + kWaiting);
  while (refused < kThreads - kPlaces) std::this_thread::yield();
  EXPECT_EQ(closed.inside.load(), static_cast<int>(kRunning));
  closed.open.count_down();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(stored.load(), kPlaces);
  EXPECT_EQ(refused.load(), kThreads - kPlaces);
  EXPECT_EQ(answer("mail.inbox", {}, "overseer").get_array().size(), static_cast<std::size_t>(kPlaces));
}

}  // namespace
}  // namespace townpost
