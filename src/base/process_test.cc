#include "base/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/files.h"
#include "base/text.h"

namespace townpost {
namespace {

using namespace std::chrono_literals;

ProcessCall command(std::vector<std::string> words) {
  ProcessCall call;
  call.command = std::move(words);
  call.timeout = 60s;  // far beyond what a busy machine needs: only a hang is to meet it
  return call;
}
ProcessCall shell(std::string script) { return command({"sh", "-c", std::move(script)}); }
ProcessCall fed(ProcessCall call, std::string input) {
  call.input = std::move(input);
  return call;
}

ProcessOutput run(const ProcessCall& call) {
  auto output = SystemProcesses().run(call);
  if (!output) ADD_FAILURE() << output.error().message;
  return output.value_or(ProcessOutput{-1, "", ""});
}

/// A pipe of which the programs we start inherit one end: how a test knows that the last of them is gone.
struct SharedPipe {
  enum class Shared { read_end, write_end };
  FileDescriptor read_end;
  FileDescriptor write_end;

  explicit SharedPipe(Shared shared) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[shared == Shared::read_end ? 0 : 1], F_SETFD, 0);
    read_end = FileDescriptor(ends[0]);
    write_end = FileDescriptor(ends[1]);
  }
};

TEST(Process, WhatAProgramPrintsAndHowItEndsAreTold) {
  const auto output = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.exit_code, 3);
}

TEST(Process, AProgramThatSaysNothingEndsWithZero) {
  const auto output = run(command({"true"}));
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_EQ(output.out + output.err, "");
}

TEST(Process, ASignalIsToldAsAShellDoes) { EXPECT_EQ(run(shell("kill -9 $$")).exit_code, 128 + 9); }

TEST(Process, ArgumentsAreGivenAsTheyAreAndNoShellReadsThem) {
  const std::vector<std::string> words{"printf", "[%s]", "$HOME; echo x", "", "a  b", "*", "\n"};
  EXPECT_EQ(run(command(words)).out, "[$HOME; echo x][][a  b][*][\n]");
}

TEST(Process, AProgramWithoutInputMeetsItsEndAtOnce) { EXPECT_EQ(run(command({"cat"})).out, ""); }

TEST(Process, LargeInputAndOutputFlowAtTheSameTime) {
  std::string text;
  for (int i = 0; text.size() < (4u << 20); ++i) text += cat("line ", i, '\n');
  EXPECT_TRUE(run(fed(command({"cat"}), text)).out == text);
}

TEST(Process, BothOutputsMayBeLarge) {
  const auto output = run(shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; head -c 7 /dev/zero >&2"));
  EXPECT_EQ(output.out.size(), 1'000'000u);
  EXPECT_EQ(output.err.size(), 1'000'007u);
}

TEST(Process, AProgramThatDoesNotReadItsInputDoesNoHarm) {
  const auto before = signal(SIGPIPE, SIG_DFL);
  const auto output = run(fed(shell("exec <&-; echo done"), std::string(4u << 20, 'x')));
  EXPECT_EQ(output.out, "done\n");
  sigset_t pending;
  ASSERT_EQ(sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  signal(SIGPIPE, before);
}

TEST(Process, AProgramKnowsTheUsualSignalsWhateverWeDoWithThem) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run(shell("kill -PIPE $$; echo survived")).exit_code, 128 + SIGPIPE);
  signal(SIGPIPE, before);
}

TEST(Process, AMissingProgramIsNotFound) {
  for (const char* program : {"no-such-program-anywhere", "/no/such/program", "/dev/null/program"}) {
    const auto output = SystemProcesses().run(command({program}));
    ASSERT_FALSE(output) << program;
    EXPECT_EQ(output.error().code, Code::not_found) << program;
    EXPECT_EQ(output.error().message, cat("there is no program ", program));
  }
}

TEST(Process, AFileThatIsNoProgramIsUnavailable) {
  const auto folder = TemporaryFolder::make("townpost-process-");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file_lightly(folder->path() / "file", "text"));
  const auto output = SystemProcesses().run(command({folder->path() / "file"}));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::unavailable);
  EXPECT_EQ(output.error().hint, "make it executable: chmod +x");
}

TEST(Process, NothingToRunIsRefused) {
  EXPECT_EQ(SystemProcesses().run(command({})).error().code, Code::usage);
  EXPECT_EQ(SystemProcesses().run(command({""})).error().code, Code::usage);
}

TEST(Process, AnArgumentThatWouldBeCutAtANulIsRefused) {
  EXPECT_EQ(SystemProcesses().run(command({"echo", std::string("a\0b", 3)})).error().code, Code::usage);
}

TEST(Process, AProgramRunsInTheFolderItIsGiven) {
  const auto folder = TemporaryFolder::make("townpost-process-");
  ASSERT_TRUE(folder);
  auto call = shell("pwd -P");
  call.folder = folder->path();
  EXPECT_EQ(run(call).out, cat(std::filesystem::canonical(folder->path()).native(), '\n'));
}

TEST(Process, AMissingFolderIsNotMistakenForAMissingProgram) {
  auto call = command({"true"});
  call.folder = "/no/such/folder";
  const auto output = SystemProcesses().run(call);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::unavailable);
  EXPECT_EQ(output.error().message, "cannot run true in /no/such/folder: No such file or directory");
}

TEST(Process, AGivenEnvironmentReplacesOurs) {
  ASSERT_EQ(setenv("TOWNPOST_TEST_OURS", "ours", 1), 0);
  auto call = shell("echo \"$TOWNPOST_TEST_OURS/$GIVEN\"");
  EXPECT_EQ(run(call).out, "ours/\n");
  call.environment = {"GIVEN=a b"};
  EXPECT_EQ(run(call).out, "/a b\n");
}

TEST(Process, AProgramThatTakesTooLongIsATimeout) {
  auto call = command({"sleep", "1000"});
  call.timeout = 20ms;
  const auto output = SystemProcesses().run(call);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::timeout);
  EXPECT_EQ(output.error().message, "sleep did not end within 20 ms");
}

TEST(Process, AProgramThatClosedItsOutputIsStillWaitedFor) {
  EXPECT_EQ(run(shell("exec >&- 2>&-; sleep 0.05; exit 4")).exit_code, 4);
}

TEST(Process, AProgramThatIgnoresItsInputForeverIsATimeout) {
  auto call = fed(command({"sleep", "1000"}), std::string(4u << 20, 'x'));
  call.timeout = 20ms;
  EXPECT_EQ(SystemProcesses().run(call).error().code, Code::timeout);
}

TEST(Process, ATimeoutEndsWhatTheProgramStartedToo) {
  SharedPipe pipe(SharedPipe::Shared::write_end);
  // Whatever of this is still alive holds the pipe, and speaks up in the end.
  auto call = shell(cat("(sleep 3; echo survived >/proc/self/fd/", pipe.write_end.get(), ") & wait"));
  call.timeout = 200ms;
  EXPECT_EQ(SystemProcesses().run(call).error().code, Code::timeout);
  pipe.write_end = FileDescriptor();
  EXPECT_EQ(read_all(pipe.read_end.get(), 100), "");
}

TEST(Process, AProgramThatLeavesSomethingRunningHasEndedAllTheSame) {
  SharedPipe pipe(SharedPipe::Shared::read_end);
  // cat inherits the outputs and stays until this test is over.
  const auto output = run(shell(cat("cat </proc/self/fd/", pipe.read_end.get(), " & echo done")));
  EXPECT_EQ(output.out, "done\n");
  EXPECT_EQ(output.exit_code, 0);
}

TEST(Process, ProgramsRunAtTheSameTimeDoNotHoldEachOthersPipes) {
  std::vector<std::thread> threads;
  for (char letter : {'a', 'b', 'c', 'd'})
    threads.emplace_back([letter] {
      const std::string text(200'000, letter);
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(run(fed(command({"cat"}), text)).out == text);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Process, ACallerWithoutStandardDescriptorsCanStillRunAProgram) {
  for (int closed = 1; closed < 8; ++closed) {
    std::array<FileDescriptor, 3> kept;
    for (int fd = 0; fd < 3; ++fd) kept[static_cast<std::size_t>(fd)] = FileDescriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
    for (int fd = 0; fd < 3; ++fd)
      if ((closed & (1 << fd)) != 0) close(fd);
    const auto output = SystemProcesses().run(fed(shell("cat; echo err >&2"), "text"));
    for (int fd = 0; fd < 3; ++fd)
      if (const auto& before = kept[static_cast<std::size_t>(fd)]; before) dup2(before.get(), fd);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->out, "text") << closed;
    EXPECT_EQ(output->err, "err\n") << closed;
  }
}

TEST(Process, AnEndThatCannotBeKnownIsNotTakenForSuccess) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  const auto output = SystemProcesses().run(command({"false"}));
  signal(SIGCHLD, before);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::unavailable);
}

}  // namespace
}  // namespace townpost
