// gt mail wait: at once, woken by another process, or timed out.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "cli/expect.h"
#include "support/await.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

TEST(Wait, ReturnsAtOnceIfMailIsThere) {
  const TestTown town;
  town.agents({"alice"});
  town.send("overseer", "alice", "Hi");
  const auto waited = town.gt({"mail", "wait", "--timeout", "1h", "--as", "alice", "--json"});
  EXPECT_EQ(waited.exit_code, 0) << waited.err;
  EXPECT_EQ(waited.out, "{\"unread\":1,\"channels\":[]}\n");
}

TEST(Wait, TimesOutWithEight) {
  const TestTown town;
  town.agents({"alice"});
  expect_refused_untouched(town, {"mail", "wait", "--timeout", "50ms", "--as", "alice"}, {8, "timeout", "alice"});
}

TEST(Wait, DoesNotReturnForReadMail) {
  const TestTown town;
  town.agents({"alice"});
  town.json({"mail", "ack", town.send("overseer", "alice", "Hi"), "--as", "alice"});
  EXPECT_EQ(town.gt({"mail", "wait", "--timeout", "50ms", "--as", "alice"}).exit_code, 8);
}

/// Starts `gt mail wait` for alice in the background and returns once it listens for her bell.
std::future<ProcessOutput> waiting_alice(const TestTown& town) {
  auto waiter = std::async(std::launch::async, [&town] {
    return town.gt({"mail", "wait", "--timeout", "100s", "--as", "alice"});
  });
  const auto ears = town.folder() / ".town" / "run" / "ear";
  const auto ear = ears / town.sql("SELECT id FROM agent WHERE address = 'alice'");
  await("it listens", [&] { return fs::exists(ear); });
  return waiter;
}

// Without being woken, a waiter looks again after 15 s; that would be too late here.
constexpr auto kBeforeTheNextLook = std::chrono::seconds(12);

TEST(Wait, IsWokenByASendOfAnotherProcess) {
  const TestTown town;
  town.agents({"alice"});
  auto waiter = waiting_alice(town);
  EXPECT_EQ(waiter.wait_for(Millis(100)), std::future_status::timeout) << "it did not wait";
  town.send("overseer", "alice", "Wake up");
  ASSERT_EQ(waiter.wait_for(kBeforeTheNextLook), std::future_status::ready) << "nobody woke it";
  EXPECT_EQ(waiter.get().exit_code, 0);
}

TEST(Wait, IsNotEndedByMailForOthers) {
  const TestTown town;
  town.agents({"alice", "bob"});
  auto waiter = waiting_alice(town);
  town.send("overseer", "bob", "Not for alice");
  EXPECT_EQ(waiter.wait_for(Millis(300)), std::future_status::timeout) << "mail for bob woke alice";
  town.send("overseer", "alice", "For alice");
  ASSERT_EQ(waiter.wait_for(kBeforeTheNextLook), std::future_status::ready) << "nobody woke it";
  EXPECT_EQ(waiter.get().exit_code, 0);
}

TEST(Wait, IsWokenByMailThatIsMarkedUnread) {
  const TestTown town;
  town.agents({"alice"});
  const auto id = town.send("overseer", "alice", "Hi");
  town.json({"mail", "ack", id, "--as", "alice"});
  fs::remove_all(town.folder() / ".town" / "run" / "bell");  // so that the waiter's bell is a new one
  auto waiter = waiting_alice(town);
  town.json({"mail", "mark-unread", id, "--as", "alice"});
  ASSERT_EQ(waiter.wait_for(kBeforeTheNextLook), std::future_status::ready) << "nobody woke it";
  EXPECT_EQ(waiter.get().exit_code, 0);
}

}  // namespace
}  // namespace townpost
