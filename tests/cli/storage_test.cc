// Stores that are newer, damaged, missing or in use.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <thread>

#include "base/text.h"
#include "cli/expect.h"
#include "support/await.h"

namespace townpost {
namespace {

namespace fs = std::filesystem;

class Storage : public testing::Test {
 protected:
  Storage() {
    town.agents({"alice"});
    town.send("overseer", "alice", "before");
    town.sql("PRAGMA wal_checkpoint(TRUNCATE)");  // all that is stored is in town.db
  }
  /// Every kind of call says so, with exit 6; hooks say nothing.
  void expect_unavailable(const std::string& says) const {
    for (const auto& words : {Words{"mail", "send", "-m", "", "alice", "-s", "Hi"},
                              {"mail", "inbox", "--as", "alice"},
                              {"mail", "ack", "--all", "--as", "alice"},
                              {"agent", "add", "bob"},
                              {"whoami"}})
      expect_refusal(town, words, {6, "unavailable", says});
    const auto hook = town.gt({"mail", "check", "--inject", "--as", "alice"});
    EXPECT_EQ(hook.exit_code, 0);
    EXPECT_EQ(hook.out + hook.err, "");
  }
  std::string bytes() const { return read_file(town.store()).value_or(""); }
  void overwrite(std::size_t from, std::size_t length) const {
    std::fstream file(town.store(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(from));
    file << std::string(length, '\xa5');
  }
  TestTown town;
};

TEST_F(Storage, OfANewerVersionIsRefusedPolitely) {
  town.sql("PRAGMA user_version = 999");
  const auto before = town.dump();
  expect_unavailable("newer");
  EXPECT_EQ(town.dump(), before);
  EXPECT_EQ(town.sql("PRAGMA user_version"), "999");
}

TEST_F(Storage, ThatIsNoDatabaseIsToldAndLeftAlone) {
  overwrite(0, 100);
  const auto before = bytes();
  expect_unavailable("town.db");
  EXPECT_TRUE(bytes() == before) << "the damaged store was written to";
}

TEST_F(Storage, ThatIsDamagedInsideIsToldAndLeftAlone) {
  overwrite(4096, bytes().size() - 4096);
  const auto before = bytes();
  for (const auto& words : {Words{"mail", "send", "-m", "", "alice", "-s", "Hi"},
                            {"mail", "inbox", "--as", "alice"},
                            {"agent", "add", "bob"}})
    expect_refusal(town, words, {6, "unavailable", "damaged"});
  EXPECT_TRUE(bytes() == before) << "the damaged store was written to";
}

TEST_F(Storage, ThatWasCutShortIsTold) {
  fs::resize_file(town.store(), 4096 * 2);
  for (const auto& words : {Words{"mail", "send", "-m", "", "alice", "-s", "Hi"}, {"mail", "inbox", "--as", "alice"}})
    expect_refusal(town, words, {6, "unavailable", "town.db"});
}

TEST_F(Storage, ThatIsEmptyIsToldAndNotFilled) {
  fs::resize_file(town.store(), 0);
  expect_unavailable("");
  EXPECT_EQ(fs::file_size(town.store()), 0u);
}

TEST_F(Storage, ThatIsMissingIsToldAndNotMadeAnew) {
  fs::remove(town.store());
  expect_unavailable("town.db");
  EXPECT_FALSE(fs::exists(town.store()));
}

TEST_F(Storage, ThatIsAFolderIsTold) {
  fs::remove(town.store());
  fs::create_directory(town.store());
  expect_unavailable("town.db");
}

/// Another program that holds the store's write lock until the file "release" is there.
std::future<std::string> lock_holder(const TestTown& town) {
  auto holder = std::async(std::launch::async, [&town] {
    return town.sql("BEGIN IMMEDIATE;\n.shell touch held; while [ ! -e release ]; do sleep 0.01; done\nCOMMIT;");
  });
  await("the store is locked", [&] { return fs::exists(town.folder() / "held"); });
  return holder;
}

TEST_F(Storage, ThatIsLockedForAMomentIsWaitedFor) {
  auto holder = lock_holder(town);
  EXPECT_EQ(inbox_ids(town, "alice").size(), 1u) << "a reader waits for no writer";
  auto sender = std::async(std::launch::async, [this] {
    return town.gt({"mail", "send", "-m", "", "alice", "-s", "patient"});
  });
  EXPECT_EQ(sender.wait_for(Millis(200)), std::future_status::timeout) << "it did not wait for the lock";
  std::ofstream(town.folder() / "release") << "now";
  const auto sent = sender.get();
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  holder.get();
  EXPECT_EQ(inbox_ids(town, "alice").size(), 2u);
}

TEST_F(Storage, IsWrittenInTheOrderOfTheQueue) {
  const FileDescriptor queue(
      ::open((town.folder() / ".town" / "write.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  ASSERT_EQ(::fcntl(queue.get(), F_OFD_SETLKW, &lock), 0);
  auto sender = std::async(std::launch::async, [this] {
    return town.gt({"mail", "send", "-m", "", "alice", "-s", "in line"});
  });
  EXPECT_EQ(sender.wait_for(Millis(200)), std::future_status::timeout) << "it jumped the queue";
  lock.l_type = F_UNLCK;
  ASSERT_EQ(::fcntl(queue.get(), F_OFD_SETLK, &lock), 0);
  EXPECT_EQ(sender.get().exit_code, 0);
}

TEST_F(Storage, TakesManySendersAtOnceWithoutLosingOne) {
  std::vector<std::future<ProcessOutput>> senders;
  for (int i = 0; i < 12; ++i)
    senders.push_back(std::async(std::launch::async, [this, i] {
      return town.gt({"mail", "send", "-m", "", "alice", "-s", cat("from ", i), "-q"});
    }));
  std::vector<std::string> sent;
  for (auto& sender : senders) {
    const auto output = sender.get();
    EXPECT_EQ(output.exit_code, 0) << output.err;
    sent.emplace_back(trim(output.out));
  }
  auto stored = inbox_ids(town, "alice");
  ASSERT_EQ(stored.size(), 13u);
  stored.pop_back();  // the one from before
  std::sort(sent.begin(), sent.end());
  std::sort(stored.begin(), stored.end());
  EXPECT_EQ(stored, sent);
}

}  // namespace
}  // namespace townpost
