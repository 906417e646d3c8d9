#include "store/file_bell.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "base/ear.h"
#include "base/files.h"
#include "base/private_files.h"
#include "support/await.h"

namespace townpost {
namespace {

class FileBellTest : public ::testing::Test {
 protected:
  FileBell bell() const { return FileBell(folder_.path()); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make("bell"));
};

constexpr AgentId kNux{5};
constexpr AgentId kSlit{6};

TEST_F(FileBellTest, ABellThatWasNeverRungHasAStampToo) {
  FileBell own = bell();
  EXPECT_EQ(own.stamp(kNux), own.stamp(kNux));
}

TEST_F(FileBellTest, EveryRingChangesTheStampForEverybody) {
  FileBell ringer = bell();
  FileBell listener = bell();
  auto last = listener.stamp(kNux);
  for (int i = 0; i < 200; ++i) {
    ringer.ring(kNux);
    const auto now = listener.stamp(kNux);
    ASSERT_NE(now, last) << "ring " << i;
    last = now;
  }
}

TEST_F(FileBellTest, MailboxesHaveBellsOfTheirOwn) {
  FileBell own = bell();
  own.ring(kNux);
  own.ring(kSlit);
  const auto before = own.stamp(kSlit);
  own.ring(kNux);
  EXPECT_EQ(own.stamp(kSlit), before);
}

TEST_F(FileBellTest, ARingEndsAWait) {
  for (const bool rung_before : {false, true}) {
    FileBell waiter = bell();
    const AgentId mailbox = rung_before ? kNux : kSlit;
    if (rung_before) waiter.ring(mailbox);
    const auto listener = waiter.listen({mailbox}, {});
    std::thread ringer([&] { bell().ring(mailbox); });
    EXPECT_EQ(listener->wait({}, kLongestWait).bells, std::vector<BellKey>{mailbox});
    ringer.join();
  }
}

TEST_F(FileBellTest, WhatRangSinceTheListenerBeganEndsItsWaitAtOnce) {
  FileBell own = bell();
  const auto listener = own.listen({kNux}, {});
  own.ring(kNux);
  EXPECT_EQ(listener->wait({}, kLongestWait).bells, std::vector<BellKey>{kNux});
}

TEST_F(FileBellTest, AListenerHearsItsOwnBellsOnly) {
  FileBell own = bell();
  const auto listener = own.listen({AgentId{7}}, {});
  bell().ring(AgentId{8});
  listener->wait({}, Millis(20));  // nobody rang for it
  bell().ring(AgentId{7});
  listener->wait({}, std::chrono::hours(1));
}

TEST_F(FileBellTest, ManyThatAreRungAtOnceRingLikeEachByItself) {
  std::vector<BellKey> keys;
  for (int i = 1; i <= 40; ++i) keys.emplace_back(AgentId{i});
  FileBell ringer = bell();
  for (const int times : {1, 2}) {  // at first none of them is there
    const BellKey heard = AgentId{7};
    const auto listener = bell().listen({heard}, {});
    const auto deaf = bell().listen({AgentId{41}}, {});
    std::vector<std::optional<std::int64_t>> before;
    for (const auto& key : keys) before.push_back(ringer.stamp(key));
    ringer.ring_all(keys);
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_NE(ringer.stamp(keys[i]), before[i]) << keys[i].name << ", time " << times;
    EXPECT_EQ(listener->wait({}, kLongestWait).bells, std::vector<BellKey>{heard});
    EXPECT_TRUE(deaf->wait({}, Millis(0)).nothing());
  }
}

TEST_F(FileBellTest, WhoeverSharesATownRingsTheBellsOfItsOwner) {
  ASSERT_EQ(::geteuid(), 0U) << "run this as root, who alone can become another user";
  constexpr unsigned kGroup = 65'534;
  ASSERT_TRUE(set_privacy(folder(), Privacy::group, kGroup).has_value());
  FileBell own = bell();
  std::vector<BellKey> keys;
  for (int i = 1; i <= 10; ++i) keys.emplace_back(AgentId{i});
  own.ring_all(keys);
  std::vector<std::optional<std::int64_t>> before;
  for (const auto& key : keys) before.push_back(own.stamp(key));
  std::thread([&] {  // the calls themselves change this thread alone
    ASSERT_EQ(::syscall(SYS_setgroups, 0, nullptr), 0);
    ASSERT_EQ(::syscall(SYS_setresgid, kGroup, kGroup, kGroup), 0);
    ASSERT_EQ(::syscall(SYS_setresuid, 65'533, 65'533, 65'533), 0);
    bell().ring_all(keys);
    bell().ring(keys.front());
  })
      .join();
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_NE(own.stamp(keys[i]), before[i]) << keys[i].name;
}

TEST_F(FileBellTest, AListenerIsToldWhichOfItsBellsRangAndWhereItWasTold) {
  FileBell own = bell();
  const auto news = folder() / "run/ear/presence-7";
  const auto listener = own.listen({AgentId{7}, AgentId{8}, BellKey::registry()}, {news});
  bell().ring(AgentId{8});
  auto heard = listener->wait({}, std::chrono::hours(1));
  EXPECT_EQ(heard.bells, std::vector<BellKey>{AgentId{8}});
  EXPECT_TRUE(heard.told.empty());
  tell_ears(news);
  heard = listener->wait({}, std::chrono::hours(1));
  EXPECT_TRUE(heard.bells.empty());
  EXPECT_EQ(heard.told, std::vector{news});
  EXPECT_TRUE(listener->wait({}, Millis(0)).nothing()) << "it was told already";
}

TEST_F(FileBellTest, WhoeverListensToAllIsToldWhoRangAndWhichFilesChanged) {
  FileBell own = bell();
  const auto notes = folder() / "run/presence";
  const auto listener = own.listen_to_all({notes});
  EXPECT_EQ(listener->refusal(), "");
  EXPECT_TRUE(listener->wait({}, Millis(0)).nothing());
  for (const auto& key : std::vector<BellKey>{AgentId{7}, QueueId{7}, BellKey::registry()}) {
    bell().ring(key);
    EXPECT_EQ(listener->wait({}, std::chrono::hours(1)).bells, std::vector{key});
  }
  ASSERT_TRUE(write_file_lightly(notes / "9", "idle"));
  const auto heard = listener->wait({}, std::chrono::hours(1));
  EXPECT_EQ(heard.told, std::vector{notes / "9"});
  EXPECT_TRUE(heard.bells.empty());
}

TEST_F(FileBellTest, BesideADatabaseIsOneForAllTownsThatUseIt) {
  const auto database = folder() / "shared.db";
  const auto one = FileBell::beside(database);
  const auto other = FileBell::beside(database);
  const auto listener = other->listen({AgentId{7}}, {});
  one->ring(AgentId{7});
  EXPECT_EQ(listener->wait({}, kLongestWait).bells, std::vector<BellKey>{AgentId{7}});
  EXPECT_EQ(one->stamp(AgentId{7}), std::nullopt) << "a hint in one town's folder would not know of them";
}

TEST_F(FileBellTest, AWaitEndsWithoutARingToo) {
  FileBell own = bell();
  const auto listener = own.listen({kNux}, {});
  EXPECT_TRUE(listener->wait({}, Millis(1)).nothing());
  own.ring(kNux);
  EXPECT_FALSE(listener->wait({}, Millis(1)).nothing());
  EXPECT_TRUE(listener->wait({}, Millis(1)).nothing()) << "that one was told";
}

TEST_F(FileBellTest, ABellThatCannotBeRungIsNoFailure) {
  FileBell broken("/proc/there/is/no/such/folder");
  broken.ring(kNux);
  const auto stamp = broken.stamp(kNux);
  EXPECT_EQ(broken.stamp(kNux), stamp);
}

}  // namespace
}  // namespace townpost
