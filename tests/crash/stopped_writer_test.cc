#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "crash/evidence.h"
#include "crash/running_gt.h"
#include "support/test_town.h"

namespace townpost {
namespace {

/// A process that has begun a write, changed something, and is stopped before it could commit.
class StoppedWriter {
 public:
  explicit StoppedWriter(const std::filesystem::path& town_db) : pid_(::fork()) {
    if (pid_ == 0) {
      auto database = SqliteDatabase::open(town_db, SqliteDatabase::Mode::existing);
      if (database && (*database)->begin(Access::write) &&
          (*database)->run("UPDATE agent SET description = 'half done'", {}, {}))
        ::raise(SIGSTOP);
      if (database) (void)(*database)->commit();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status)) << "it could not begin its write";
  }
  ~StoppedWriter() { end_with(SIGKILL); }
  StoppedWriter(const StoppedWriter&) = delete;
  StoppedWriter& operator=(const StoppedWriter&) = delete;

  void end_with(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

constexpr Sql kHalfDone = "SELECT count(*) FROM agent WHERE description = 'half done'";

class StoppedWriterTest : public testing::Test {
 protected:
  StoppedWriterTest() { town_.agents({"ann"}); }

  /// Senders that have had ample time to come as far as they can.
  std::vector<RunningGt> waiting_senders(int number) {
    std::vector<RunningGt> senders;
    for (int i = 0; i < number; ++i)
      senders.push_back(RunningGt::start({"mail", "send", "-m", "", "ann", "-s", "hello", "--json"}, town_.folder()));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return senders;
  }

  void expect_all_sent(std::vector<RunningGt>& senders) {
    for (auto& sender : senders) {
      const auto sent = sender.end();
      EXPECT_EQ(sent.exit_code, 0) << sent.err;
      EXPECT_TRUE(StoreEvidence(town_.store()).messages().contains(receipt_id(sent.out)));
    }
    StoreEvidence(town_.store()).expect_sound();
  }

  TestTown town_;
};

TEST_F(StoppedWriterTest, ThatIsKilledLetsTheWaitingSendersGoOn) {
  StoppedWriter writer(town_.store());
  auto senders = waiting_senders(5);
  for (auto& sender : senders) EXPECT_TRUE(sender.is_running()) << "nobody overtakes a write that is under way";
  writer.end_with(SIGKILL);
  expect_all_sent(senders);
  EXPECT_EQ(StoreEvidence(town_.store()).count(kHalfDone), 0);
}

TEST_F(StoppedWriterTest, ThatGoesOnFinishesFirst) {
  StoppedWriter writer(town_.store());
  auto senders = waiting_senders(5);
  writer.end_with(SIGCONT);
  expect_all_sent(senders);
  EXPECT_GT(StoreEvidence(town_.store()).count(kHalfDone), 0);
}

TEST_F(StoppedWriterTest, DoesNotKeepReadersWaiting) {
  const auto id = town_.send("overseer", "ann", "before");
  const StoppedWriter writer(town_.store());
  const auto inbox = town_.json({"mail", "inbox", "--as", "ann"});
  ASSERT_EQ(inbox.as_array().size(), 1u);
  EXPECT_EQ(std::string(inbox.as_array()[0].at("id").as_string()), id);
}

}  // namespace
}  // namespace townpost
