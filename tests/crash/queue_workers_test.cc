#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "app/libpq_door.h"
#include "app/store_place.h"
#include "base/random.h"
#include "base/text.h"
#include "crash/queue_judge.h"
#include "crash/running_gt.h"
#include "post/lists/queues.h"
#include "post/mail/post_office.h"
#include "store/group_commit_store.h"
#include "store/sql_store.h"
#include "support/fakes.h"
#include "support/postgres_server.h"
#include "support/stress.h"
#include "support/test_town.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

const int kMessages = stress(20'000, 4'000);
constexpr int kWorkers = 64;
const int kKills = stress(260, 60);  // spread over the whole work
constexpr Millis kLease(1'000);

/// Sixty-four processes; whoever is killed has a successor under another name.
class Workers {
 public:
  Workers(const TestTown& town, std::filesystem::path evidence) : town_(town), evidence_(std::move(evidence)) {
    for (int i = 0; i < kWorkers; ++i) workers_.push_back(start());
  }
  ~Workers() {
    for (const auto worker : workers_) end(worker);
  }
  void replace(std::size_t which) {
    end(workers_.at(which));
    workers_.at(which) = start();
  }

 private:
  pid_t start() {
    std::vector<std::string> words = {QUEUE_WORKER, "work", evidence_.string()};
    auto environment = clean_environment(town_.folder(), {{"MAIL_IDENTITY", cat("worker-", ++started_)}});
    auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> out;
      for (auto& text : texts) out.push_back(text.data());
      out.push_back(nullptr);
      return out;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, town_.folder().c_str());
    pid_t pid = -1;
    const int error =
        ::posix_spawn(&pid, QUEUE_WORKER, &actions, nullptr, pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start a worker");
    return pid;
  }
  static void end(pid_t worker) {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }

  const TestTown& town_;
  std::filesystem::path evidence_;
  std::vector<pid_t> workers_;
  int started_ = 0;
};

struct Ground {
  const char* name;
  bool on_postgres;
};
std::ostream& operator<<(std::ostream& out, const Ground& ground) { return out << ground.name; }

class QueueWorkers : public testing::TestWithParam<Ground> {
 protected:
  QueueWorkers() {
    if (GetParam().on_postgres) {
      server_.emplace();
      place_.url = server_->make_database();
    } else {
      place_.file = town_.store();
    }
    TestTown::Words init = {"init", "--name", "workshop"};
    if (place_.url) init.insert(init.end(), {"--store", *place_.url});
    const auto made = town_.gt(init);
    if (made.exit_code != 0) throw std::runtime_error(made.err);
  }

  std::unique_ptr<Database> connect() const {
    auto database = place_.open(SqliteDatabase::Mode::existing, std::nullopt, postgres_);
    if (!database) throw std::runtime_error(database.error().message);
    return std::move(*database);
  }

  /// Messages to the queue, many at a time.
  void fill_queue(int messages) {
    auto store = GroupCommitStore::open([this] { return Result<std::unique_ptr<Database>>(connect()); }, 2, nullptr);
    ASSERT_TRUE(store.has_value()) << store.error().message;
    Town town{town_.folder() / ".town", Settings(), **store, bell_, sessions_, clock_, random_};
    std::atomic<int> next = 0;
    std::atomic<int> failed = 0;
    std::vector<std::thread> senders;
    for (int i = 0; i < 32; ++i)
      senders.emplace_back([&] {
        for (int number = next++; number < messages; number = next++)
          if (!PostOffice(town).send({.to = {"queue:work"}, .subject = cat("piece ", number), .body = "do it"},
                                     Caller()))
            ++failed;
      });
    for (auto& sender : senders) sender.join();
    ASSERT_EQ(failed, 0);
  }

  Result<QueueCounts> count(Store& store) {
    Town town{town_.folder() / ".town", Settings(), store, bell_, sessions_, clock_, random_};
    TRY(view, Queues(town).show("work"));
    return view.counts;
  }

  /// Reads the counts again and again until all is done.
  void watch() {
    SqlStore store(connect(), nullptr);
    std::int64_t done_before = 0;
    while (!stop_watching_) {
      const auto counts = count(store);
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

  TestTown town_{TestTown::Start::empty_folder};
  std::optional<PostgresServer> server_;
  StorePlace place_;
  mutable LibpqDoor postgres_;
  CountingBell bell_;
  Machine sessions_;
  SystemClock clock_;
  SystemRandom random_;
  std::atomic<bool> stop_watching_ = false;
  std::atomic<std::int64_t> completed_ = 0;
  std::atomic<int> looks_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, QueueWorkers, testing::Values(Ground{"sqlite", false}, Ground{"postgres", true}),
                         [](const auto& ground) { return ground.param.name; });

TEST_P(QueueWorkers, CompleteEveryMessageExactlyOnceHoweverManyOfThemAreKilled) {
  const auto made =
      town_.gt({"queue", "create", "work", "--lease", cat(kLease.count(), "ms"), "--max-attempts", "1000"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_NO_FATAL_FAILURE(fill_queue(kMessages));
  const auto evidence = town_.folder() / "evidence";
  Moments moments;
  const auto started = std::chrono::steady_clock::now();
  std::thread watcher([this] { watch(); });
  int kills = 0;
  {
    Workers workers(town_, evidence);
    while (completed_ < kMessages && !HasFailure() && std::chrono::steady_clock::now() - started < 8min) {
      std::this_thread::sleep_for(moments.within(10ms));
      // As many kills as fit to what is done, so that they are spread over the whole of it on every machine.
      if (kills >= kKills || kills * std::int64_t{kMessages} > completed_ * kKills) continue;
      const auto which = static_cast<std::size_t>(moments.within(std::chrono::nanoseconds(1'000'000)).count());
      workers.replace(which % kWorkers);
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

  const QueueJudge judge(*connect(), evidence);
  judge.expect_each_completed_once_by_its_holder(kMessages, kLease);
  EXPECT_GT(judge.came_back(), kills / 10) << "too few were killed with something in their hands";
  std::printf("%lld messages came back, %lld completions were refused\n", static_cast<long long>(judge.came_back()),
              static_cast<long long>(judge.refused()));
  const auto checked = town_.gt({"store", "check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

}  // namespace
}  // namespace townpost
