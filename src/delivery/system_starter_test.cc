#include "delivery/system_starter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/child.h"
#include "base/process.h"
#include "base/process_tree.h"
#include "base/text.h"
#include "support/await.h"

namespace townpost {
namespace {

/// A process, and the presence of an agent that runs as this process.
class Started : public testing::Test {
 protected:
  Started() {
    await("it runs", [this] { return names_of_process(child.pid()).front() == "sleep"; });
    presence.pid = child.pid();
    presence.incarnation = "2f900c05-ddc4-4466-a366-5628a72bdbf5";
    presence.harness = Harness::of_word("claude");
    presence.last_activity = *start_of(child.pid()) + std::chrono::minutes(1);
  }
  ~Started() override {
    child.signal(SIGKILL);
    await("it ends", [this] { return child.exit_code().has_value(); });
  }
  bool is_alive() { return starter.is_alive(presence); }

  Child child = Child::start({.command = {"sleep", "600"}}).value();
  ProcessNotes notes{""};
  SystemStarter starter{"/", notes};
  Presence presence;
};

TEST_F(Started, IsAliveAsLongAsItRuns) {
  EXPECT_TRUE(is_alive());
  child.signal(SIGKILL);
  await("it ends", [this] { return child.exit_code().has_value(); });
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsNotAliveOnceItEndedThoughNobodyAskedHow) {
  child.signal(SIGKILL);
  await("it ends", [this] { return is_zombie(child.pid()); });
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsNotAliveIfItsNumberWasGivenToAnother) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsAliveThoughTheClockWasSetIfItIsCalledAsItsHarness) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  presence.harness = Harness::of_word("sleep");
  EXPECT_TRUE(is_alive());
}

TEST_F(Started, IsKnownByTheNameOfItsProcessIfThatWasNoted) {
  presence.last_activity = *start_of(child.pid()) - std::chrono::minutes(1);
  presence.incarnation = process_name(child.pid());
  EXPECT_TRUE(is_alive());
  presence.last_activity = *start_of(child.pid()) + std::chrono::minutes(1);
  presence.incarnation = cat(child.pid(), ".1@", host_name());
  EXPECT_FALSE(is_alive());
}

TEST_F(Started, IsNotStoppedByTheNumberThatItsHooksNamed) {
  presence.supervised = true;
  const Agent agent{.id = {1}, .address = Address::parse("coder").value()};
  EXPECT_FALSE(starter.can_stop(agent));
  starter.stop(agent);
  EXPECT_TRUE(is_alive());
}

TEST(LogOfAnAgent, NeverFillsTheDiskAndKeepsItsEnd) {
  const auto folder = TemporaryFolder::make("town").value();
  const auto log = folder.path() / "log" / "agent-7.log";
  ProcessNotes notes{""};
  SystemStarter starter{folder.path(), notes};
  const Agent agent{.id = {7}, .address = Address::parse("coder").value()};
  const auto run = [&](const std::string& script) {
    ASSERT_TRUE(starter.start(agent, script, "").has_value());
    while (read_file(log, 64u << 20).value_or("").find("the end") == std::string::npos) ::usleep(1000);
  };
  run("head -c 9000000 /dev/zero | tr '\\0' x; echo the end; exit 0");
  const Presence presence{.agent = {7}, .pid = ::getpid()};
  (void)starter.is_alive(presence);  // whoever watches looks now and then
  EXPECT_EQ(std::filesystem::file_size(log), 0U);
  const auto kept = read_file(folder.path() / "log" / "agent-7.log.1", 64u << 20).value();
  EXPECT_LE(kept.size(), 1U << 20);
  EXPECT_TRUE(kept.ends_with("the end\n"));
  run("echo and so on, the end");
  EXPECT_EQ(read_file(log, 4096).value(), "and so on, the end\n");
}

TEST(CommandWithASession, TakesItAsAWordOfItsOwnHoweverItIsQuoted) {
  const auto run = [](const std::string& command, const std::string& session) {
    return SystemProcesses().run({.command = {"sh", "-c", with_session_parameter(command), "sh", session}})->out;
  };
  const std::string hostile = "x; echo pwned $(echo pwned) `echo pwned` ' \" \\";
  for (const auto* command : {"printf '%s|' --resume {session} end", "printf '%s|' --resume \"{session}\" end",
                              "printf '%s|' --resume '{session}' end"})
    EXPECT_EQ(run(command, hostile), cat("--resume|", hostile, "|end|")) << command;
  EXPECT_EQ(run("printf '%s|' \"--resume={session}\" 'it'\\''s' {session}", "s1"), "--resume=s1|it's|s1|");
  EXPECT_EQ(run("printf '%s|' \"a\\\"{session}\"", "s1"), "a\"s1|");
  EXPECT_EQ(run("printf '%s|' none", "s1"), "none|");
}

}  // namespace
}  // namespace townpost
