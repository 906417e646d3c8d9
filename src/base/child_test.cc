#include "base/child.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/process.h"
#include "base/text.h"
#include "support/await.h"

namespace townpost {
namespace {

/// Everything it prints, and how it ended.
struct Told {
  std::string out;
  int exit_code = -1;
};

Told told_by(Result<Child> child) {
  Told told;
  EXPECT_TRUE(child) << child.error().message;
  if (!child) return told;
  child->close_input();
  for (bool open = true; open;) {
    pollfd watched{.fd = child->output(), .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, -1);
    char piece[4096];
    const auto got = ::read(child->output(), piece, sizeof piece);
    if (got > 0) told.out.append(piece, static_cast<std::size_t>(got));
    open = got > 0;
  }
  pollfd end{.fd = child->end(), .events = POLLIN, .revents = 0};
  ::poll(&end, 1, -1);
  told.exit_code = child->exit_code().value_or(-1);
  return told;
}

ChildPlan shell(std::string script) {
  return {.command = {"sh", "-c", std::move(script)}, .ends = ChildPlan::Ends::pipes};
}

TEST(Child, IsToldAndTellsThroughPipes) {
  auto child = Child::start(shell("read line; echo \"got $line\"; exit 3")).value();
  ASSERT_EQ(::write(child.input(), "this\n", 5), 5);
  const auto told = told_by(std::move(child));
  EXPECT_EQ(told.out, "got this\n");
  EXPECT_EQ(told.exit_code, 3);
}

TEST(Child, ThatSharesOurFateIsStartedLikeAnyOther) {
  auto plan = shell("read line; echo \"got $line in $PWD\"; exit 3");
  plan.fate = SpawnPlan::Fate::ours;
  plan.folder = "/";
  auto child = Child::start(plan).value();
  ASSERT_EQ(::write(child.input(), "this\n", 5), 5);
  const auto told = told_by(std::move(child));
  EXPECT_EQ(told.out, "got this in /\n");
  EXPECT_EQ(told.exit_code, 3);
  const auto missing = Child::start({.command = {"no-such-program"}, .fate = SpawnPlan::Fate::ours});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, Code::not_found);
}

TEST(Child, ThatSharesOurFateEndsWhenWeAreKilled) {
  Pipe told = make_pipe().value();
  const pid_t middle = ::fork();
  if (middle == 0) {  // whoever starts it, and is killed
    const auto child = Child::start({.command = {"sleep", "600"}, .fate = SpawnPlan::Fate::ours});
    const int pid = child ? child->pid() : 0;
    (void)!::write(told.write_end.get(), &pid, sizeof pid);
    ::pause();
  }
  int pid = 0;
  ASSERT_EQ(::read(told.read_end.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  ASSERT_TRUE(look_at(pid).has_value());
  ASSERT_EQ(::kill(middle, SIGKILL), 0);
  ::waitpid(middle, nullptr, 0);
  await("it ends", [&] { return !look_at(pid) || is_zombie(pid); });
}

TEST(Child, HasOurVariablesWithThoseThatWereChanged) {
  ASSERT_EQ(::setenv("TOWNPOST_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(::setenv("TOWNPOST_TEST_SET", "old", 1), 0);
  ASSERT_EQ(::setenv("TOWNPOST_TEST_GONE", "here", 1), 0);
  auto plan = shell("echo $TOWNPOST_TEST_KEPT,$TOWNPOST_TEST_SET,${TOWNPOST_TEST_GONE-unset},$TOWNPOST_TEST_NEW");
  plan.environment = {{"TOWNPOST_TEST_SET", "a=b"}, {"TOWNPOST_TEST_GONE", ""}, {"TOWNPOST_TEST_NEW", "new"}};
  EXPECT_EQ(told_by(Child::start(plan)).out, "kept,a=b,unset,new\n");
}

TEST(Child, RunsInItsFolderAndIsNotStartedIfThereIsNone) {
  auto plan = shell("pwd");
  plan.folder = "/proc";
  EXPECT_EQ(told_by(Child::start(plan)).out, "/proc\n");
  plan.folder = "/no/such/folder";
  const auto none = Child::start(plan);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "cannot run sh in /no/such/folder: No such file or directory");
}

TEST(Child, ThatIsMissingIsNotFound) {
  const auto none = Child::start({.command = {"no-such-program"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::not_found);
  EXPECT_EQ(Child::start({}).error().code, Code::usage);
}

TEST(Child, MayBeAScriptThatDoesNotSayWhoReadsIt) {
  const auto folder = TemporaryFolder::make("townpost-child-").value();
  const auto script = folder.path() / "script";
  ASSERT_TRUE(write_file_durably(script, "echo \"$0 $1\"\n", 0755));
  const auto told = told_by(Child::start({.command = {script.string(), "a b"}, .ends = ChildPlan::Ends::pipes}));
  EXPECT_EQ(told.out, cat(script.string(), " a b\n"));
}

TEST(Child, ThatIsDetachedHasASessionOfItsOwn) {
  // Number, parent, group, session: the sixth of the line that the kernel tells.
  const std::string script = "read line </proc/$$/stat; set -- $line; echo $(($6 == $$))";
  auto plan = shell(script);
  EXPECT_EQ(told_by(Child::start(plan)).out, "0\n");
  plan.detached = true;
  EXPECT_EQ(told_by(Child::start(plan)).out, "1\n");
}

TEST(Child, KnowsTheUsualSignalsWhateverWeDoWithThem) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, &before);
  const auto pipe_before = ::signal(SIGPIPE, SIG_IGN);
  const auto interrupt_before = ::signal(SIGINT, SIG_IGN);
  for (const int number : {SIGTERM, SIGPIPE, SIGINT})
    EXPECT_EQ(told_by(Child::start(shell(cat("kill -", number, " $$; echo survived")))).exit_code, 128 + number);
  ::signal(SIGPIPE, pipe_before);
  ::signal(SIGINT, interrupt_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Child, WithALogReadsNothingAndAddsToIt) {
  const auto folder = TemporaryFolder::make("townpost-child-").value();
  const auto log = folder.path() / "log" / "x.log";
  for (int i = 0; i < 2; ++i) {
    auto child =
        Child::start(
            {.command = {"sh", "-c", "cat; echo out; echo err >&2"}, .ends = ChildPlan::Ends::log, .log = log.string()})
            .value();
    pollfd end{.fd = child.end(), .events = POLLIN, .revents = 0};
    ::poll(&end, 1, -1);
    EXPECT_EQ(child.exit_code(), 0);
  }
  EXPECT_EQ(read_file(log).value_or(""), "out\nerr\nout\nerr\n");
}

TEST(Child, IsStartedByManyThreadsWhileOthersHoldEveryLockOfTheAllocator) {
  std::atomic<bool> over = false;
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i)
    busy.emplace_back([&over] {
      while (!over) {
        std::map<std::string, std::string> much;
        for (int n = 0; n < 100; ++n) much[cat(n)] = std::string(static_cast<std::size_t>(n) * 7, 'x');
      }
    });
  std::vector<std::thread> starters;
  for (int i = 0; i < 4; ++i)
    starters.emplace_back([i] {
      for (int n = 0; n < 12; ++n) {
        auto plan = shell("echo $WHO; pwd");
        plan.environment = {{"WHO", cat(i, ".", n)}};
        plan.folder = "/proc";
        plan.detached = n % 2 == 0;
        EXPECT_EQ(told_by(Child::start(plan)).out, cat(i, ".", n, "\n/proc\n"));
        EXPECT_EQ(SystemProcesses().run({.command = {"cat"}, .input = cat(n), .timeout = std::chrono::minutes(1)})->out,
                  cat(n));
      }
    });
  for (auto& thread : starters) thread.join();
  over = true;
  for (auto& thread : busy) thread.join();
}

}  // namespace
}  // namespace townpost
