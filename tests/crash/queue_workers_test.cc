#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/text.h"
#include "crash/queue_judge.h"
#include "crash/running_gt.h"
#include "crash/workshop.h"
#include "store/sql_store.h"
#include "support/stress.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

const int kMessages = stress(20'000, 4'000);
constexpr int kWorkers = 64;
const int kKills = stress(260, 60);  // spread over the whole work
constexpr QueueRules kRules{.lease = Millis(1'000), .max_attempts = 1'000};

class QueueWorkers : public testing::TestWithParam<Ground> {
 protected:
  /// Reads the counts again and again until all is done.
  void watch() {
    SqlStore store(workshop_.connect(), nullptr);
    std::int64_t done_before = 0;
    while (!stop_watching_) {
      const auto counts = workshop_.count(store);
      ++looks_;
      if (!counts) {
        ADD_FAILURE() << counts.error().message;
        break;
      }
      const auto sum = counts->available + counts->processing + counts->completed + counts->failed;
      EXPECT_EQ(sum, kMessages) << "in look " << looks_ << ": " << counts->available << " available, "
                                << counts->processing << " in work, " << counts->completed << " completed, "
                                << counts->failed << " failed";
      EXPECT_EQ(counts->failed, 0);
      EXPECT_GE(counts->completed, done_before);
      EXPECT_LE(counts->processing, kWorkers + kKills);
      done_before = counts->completed;
      completed_ = counts->completed;
      if (HasFailure()) break;
      std::this_thread::sleep_for(25ms);  // looking costs as much as working
    }
  }

  Workshop workshop_{GetParam()};
  std::atomic<bool> stop_watching_ = false;
  std::atomic<std::int64_t> completed_ = 0;
  std::atomic<int> looks_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, QueueWorkers, testing::ValuesIn(kGrounds),
                         [](const auto& ground) { return ground.param.name; });

TEST_P(QueueWorkers, CompleteEveryMessageExactlyOnceHoweverManyOfThemAreKilled) {
  ASSERT_NO_FATAL_FAILURE(workshop_.make_queue(kRules.lease, kRules.max_attempts));
  ASSERT_NO_FATAL_FAILURE(workshop_.fill_queue(kMessages, {Caller()}));
  Moments moments;
  const auto started = std::chrono::steady_clock::now();
  std::thread watcher([this] { watch(); });
  int kills = 0;
  {
    Workers workers(workshop_, kWorkers, Workers::Conduct::steady);
    while (completed_ < kMessages && !HasFailure() && std::chrono::steady_clock::now() - started < 8min) {
      std::this_thread::sleep_for(moments.within(10ms));
      // As many kills as fit to what is done, so that they are spread over the whole of it on every machine.
      if (kills >= kKills || kills * std::int64_t{kMessages} > completed_ * kKills) continue;
      workers.replace(moments.one_of(kWorkers));
      ++kills;
    }
  }
  stop_watching_ = true;
  watcher.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  std::printf("%.1f s, %d kills, %d looks\n", took.count(), kills, looks_.load());
  ASSERT_EQ(completed_, kMessages);
  EXPECT_GE(kills, kKills * 3 / 4);
  EXPECT_GT(looks_, 100);

  const QueueJudge judge(*workshop_.connect(), workshop_.evidence());
  judge.expect_sound_stories(kMessages, kRules);
  EXPECT_GT(judge.came_back(), kills / 10) << "too few were killed with something in their hands";
  std::printf("%lld messages came back, %lld completions were refused\n", static_cast<long long>(judge.came_back()),
              static_cast<long long>(judge.refused()));
  const auto checked = workshop_.town().gt({"store", "check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace townpost
