// Everything at once: workers with whims who are killed, dead messages that are retried, a sender who goes into
// quarantine and comes out again, a queue that grows, and people and agents who write to each other beside it.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
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

const int kMessages = stress(3'000, 600);
constexpr int kWorkers = 24;
const int kKills = stress(250, 50);  // spread over the whole work
constexpr QueueRules kRules{.lease = Millis(2'000), .max_attempts = 3};
constexpr std::size_t kHistoriesTold = 40;
const char* const kShady = "shady";

/// What is done beside the work, again and again until it is stopped, each in a thread of its own.
class Loops {
 public:
  ~Loops() { stop(); }
  void run(const std::function<void()>& what) {
    threads_.emplace_back([this, what] {
      while (!stopping_) what();
    });
  }
  void stop() {
    stopping_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

/// Commands of several threads, and what went wrong with them.
class Commands {
 public:
  explicit Commands(const TestTown& town) : town_(town) {}

  /// Runs `gt WORDS…`, which may end with one of these codes only.
  ProcessOutput gt(const TestTown::Words& words, const std::set<int>& codes = {0}) {
    auto output = town_.gt(words);
    expect(codes.contains(output.exit_code), cat(join(words, " "), ": exit ", output.exit_code, ": ", output.err));
    ++run_;
    return output;
  }
  void expect(bool holds, const std::string& otherwise) {
    const std::lock_guard lock(mutex_);
    if (!holds) troubles_.push_back(otherwise);
  }
  std::vector<std::string> troubles() {
    const std::lock_guard lock(mutex_);
    return troubles_;
  }
  int run() const { return run_; }

 private:
  const TestTown& town_;
  std::mutex mutex_;
  std::vector<std::string> troubles_;
  std::atomic<int> run_ = 0;
};

class QueueChaos : public testing::TestWithParam<Ground> {
 protected:
  void SetUp() override {
    town().agents({kShady, "honest", "reader"});
    ASSERT_NO_FATAL_FAILURE(workshop_.make_queue(kRules.lease, kRules.max_attempts));
    const auto agent = [](const char* name) { return Caller{*Address::parse(name), Grade::env}; };
    ASSERT_NO_FATAL_FAILURE(workshop_.fill_queue(kMessages, {Caller(), agent(kShady), agent("honest")}));
    expected_ = kMessages;
  }

  const TestTown& town() const { return workshop_.town(); }

  /// Plain mail, and more work for the queue. Every one must be sent, from both senders.
  void send() {
    const int number = ++sent_;
    const char* from = number % 3 == 0 ? kShady : "honest";
    const bool to_queue = number % 8 == 0;
    if (to_queue) ++expected_;
    commands_.gt({"mail", "send", to_queue ? "queue:work" : "reader", "-s", cat("beside ", number), "-m", "for you",
                  "--as", from});
  }

  void quarantine() {
    commands_.gt({"agent", "quarantine", kShady, "--as", "overseer"});
    std::this_thread::sleep_for(300ms);
    commands_.gt({"agent", "quarantine", kShady, "--lift", "--as", "overseer"});
    std::this_thread::sleep_for(300ms);
  }

  /// Dead ones, and some that are not: those are refused.
  void retry() {
    const auto list = commands_.gt({"queue", "dead", "work", "--json", "--as", "overseer"});
    const auto dead = parse_json(trim(list.out));
    commands_.expect(dead.has_value(), list.out);
    TestTown::Words ids = dead ? texts_in(*dead, "id") : TestTown::Words();
    if (const auto alive = claimed()) ids.push_back(*alive);
    for (const auto& id : ids) commands_.gt({"queue", "retry", id, "--as", "overseer"}, {0, 5});
  }

  /// What the program itself says of a claim must be one.
  void claim() {
    const auto out = commands_.gt({"mail", "claim", "work", "--json", "--as", "reader"}, {0, 1});
    if (out.exit_code != 0) return;
    const auto claim = parse_json(trim(out.out)).value_or(Json(nullptr));
    commands_.expect(text_at(claim, "queue_state") == "processing" && text_at(claim, "claimed_by") == "reader" &&
                         text_at(claim, "lease_until") > text_at(claim, "claimed_at"),
                     out.out);
    const auto id = text_at(claim, "id");
    note(cat("claimed reader ", id, " ", number_at(claim, "attempts")));
    {
      const std::lock_guard lock(mutex_);
      claimed_ = id;
    }
    const auto completed = commands_.gt({"mail", "complete", id, "--as", "reader"}, {0, 5});
    note(cat(completed.exit_code == 0 ? "completed reader " : "refused reader ", id));
  }

  void note(const std::string& line) {
    commands_.expect(append_line(workshop_.evidence(), line).has_value(), "cannot note " + line);
  }
  std::optional<std::string> claimed() {
    const std::lock_guard lock(mutex_);
    return claimed_;
  }

  /// Kills workers, as many as fit to what is done, until all of what is expected was completed.
  void kill_until_all_is_done(Workers& workers, Loops& senders, std::chrono::steady_clock::time_point until) {
    SqlStore store(workshop_.connect(), nullptr);
    std::int64_t completed = 0;
    while (completed < expected_ && commands_.troubles().empty() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(moments_.within(20ms));
      const auto counts = workshop_.count(store);
      ASSERT_TRUE(counts.has_value()) << counts.error().message;
      EXPECT_GE(counts->completed, completed);
      completed = counts->completed;
      if (completed >= kMessages) senders.stop();  // nothing comes any more, and the rest is finished
      if (kills_ >= kKills || kills_ * std::int64_t{kMessages} > completed * kKills) continue;
      workers.replace(moments_.one_of(kWorkers));
      ++kills_;
    }
  }

  void expect_no_deadlock() {
    const auto* server = workshop_.server();
    if (!server) return;
    EXPECT_EQ(server->psql("SELECT sum(deadlocks) FROM pg_stat_database"), "0");
    const auto log = read_file(server->folder() / "log").value_or("");
    EXPECT_NE(log.find("database system is ready"), std::string::npos) << "this is not its log";
    EXPECT_EQ(log.find("deadlock"), std::string::npos) << log.substr(log.find("deadlock"), 2'000);
  }

  /// As everybody is told them, too.
  void expect_histories_in_order(const QueueJudge& judge) {
    for (const auto& id : judge.longest(kHistoriesTold)) {
      std::string before;
      for (const auto& step : items_of(value_at(town().json({"mail", "explain", id, "--as", "overseer"}), "history"))) {
        EXPECT_GE(text_at(step, "at"), before) << id << " was " << text_at(step, "what");
        before = text_at(step, "at");
      }
      EXPECT_NE(before, "") << id;
    }
  }

  Workshop workshop_{GetParam()};
  Commands commands_{workshop_.town()};
  Moments moments_;
  std::mutex mutex_;
  std::optional<std::string> claimed_;
  std::atomic<int> sent_ = 0;
  std::atomic<std::int64_t> expected_ = 0;
  int kills_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, QueueChaos, testing::ValuesIn(kGrounds),
                         [](const auto& ground) { return ground.param.name; });

TEST_P(QueueChaos, LosesNoSendRunsIntoNoDeadlockAndCompletesEveryMessageOnce) {
  const auto started = std::chrono::steady_clock::now();
  {
    Workers workers(workshop_, kWorkers, Workers::Conduct::whimsical);
    Loops senders, others;
    for (int i = 0; i < 2; ++i) senders.run([this] { send(); });
    others.run([this] { quarantine(); });
    others.run([this] { retry(); });
    others.run([this] { claim(); });
    kill_until_all_is_done(workers, senders, started + 8min);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  ASSERT_EQ(commands_.troubles(), std::vector<std::string>());

  const QueueJudge judge(*workshop_.connect(), workshop_.evidence());
  judge.expect_sound_stories(expected_, kRules);
  expect_histories_in_order(judge);
  expect_no_deadlock();
  const auto checked = town().gt({"store", "check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  // Whether there was any chaos.
  EXPECT_GE(kills_, kKills * 3 / 4);
  EXPECT_GT(sent_, kMessages / 60);
  for (const char* what : {"failed", "dead", "retried", "released", "extended", "lease-ended"})
    EXPECT_GT(judge.times(what), 0) << what;
  std::printf("%.1f s, %d kills, %d sent beside, %d commands; %lld died, %lld retried, %lld leases ended\n",
              took.count(), kills_, sent_.load(), commands_.run(), static_cast<long long>(judge.times("dead")),
              static_cast<long long>(judge.times("retried")), static_cast<long long>(judge.times("lease-ended")));
}

}  // namespace
}  // namespace townpost
