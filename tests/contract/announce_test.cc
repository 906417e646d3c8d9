#include "post/nudge/announce.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

class AnnounceTest : public TownTest {
 protected:
  std::string prompt(std::string_view who, Compaction compaction = Compaction::no) {
    const Announcement announcement = must(announce(town(), caller(who), compaction));
    must(announced(town(), caller(who), announcement));
    return announcement.text;
  }
};
ON_EVERY_STORE(AnnounceTest);

bool has(const std::string& text, std::string_view wanted) { return text.find(wanted) != std::string::npos; }

TEST_P(AnnounceTest, NothingWaitingIsSilence) {
  EXPECT_EQ(prompt("max"), "");
  EXPECT_EQ(prompt("never-seen"), "");
}

TEST_P(AnnounceTest, EachMessageIsAnnouncedOnceThenOnlyCounted) {
  const Message first = send("nux", "max", "build is red").message;
  const std::string block = prompt("max");
  EXPECT_TRUE(has(block, first.id.str())) << block;
  EXPECT_TRUE(has(block, "build is red"));
  EXPECT_FALSE(has(block, first.body));
  EXPECT_EQ(copy_of(first.id, "max").announced_at, clock().now());
  EXPECT_FALSE(copy_of(first.id, "max").read_at.has_value());
  EXPECT_EQ(events(first.id).back(), "offered");

  const std::string line = prompt("max");
  EXPECT_FALSE(has(line, first.id.str())) << line;
  EXPECT_TRUE(has(line, "1 unread message")) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;

  const Message second = send("nux", "max", "still red").message;
  const std::string news = prompt("max");
  EXPECT_TRUE(has(news, second.id.str()));
  EXPECT_FALSE(has(news, first.id.str()));
  EXPECT_TRUE(has(news, "2 unread messages"));
  EXPECT_TRUE(has(news, "+ 1 more"));
}

TEST_P(AnnounceTest, AfterACompactionUnackedMailIsAnnouncedAgain) {
  const Message unread = send("nux", "max").message;
  const Message read = send("nux", "max").message;
  prompt("max");
  mark(read.id, Mark::read, "max");
  const std::string block = prompt("max", Compaction::yes);
  EXPECT_TRUE(has(block, unread.id.str())) << block;
  EXPECT_FALSE(has(block, read.id.str()));
}

TEST_P(AnnounceTest, HeldMailIsShownAtThePrompt) {
  for (int i = 0; i < 11; ++i) send("nux", "max");
  EXPECT_EQ(inbox("max").at(0).delivery->held_by, "L2");
  EXPECT_TRUE(has(prompt("max"), inbox("max").at(0).message.id.str())) << "a prompt is a natural boundary";
}

TEST_P(AnnounceTest, WhatDoesNotFitIsAnnouncedNextTime) {
  limits().enabled = false;
  std::vector<Message> sent;
  for (int i = 0; i < 50; ++i) sent.push_back(send("nux", "max", std::string(120, 'x')).message);
  std::string all;
  for (int i = 0; i < 5; ++i) all += prompt("max");
  for (const auto& message : sent) {
    const auto first = all.find(message.id.str() + " ");
    EXPECT_NE(first, std::string::npos) << message.id.str();
    EXPECT_EQ(all.find(message.id.str() + " ", first + 1), std::string::npos) << "announced twice";
  }
}

TEST_P(AnnounceTest, WhatWasAnnouncedCountsForTheChainOfTheTurn) {
  Message last = send("nux", "slit").message;
  last = reply("slit", last.id).message;
  EXPECT_EQ(last.hops, 2);
  prompt("nux");
  EXPECT_EQ(send("nux", "max").message.hops, 3);
  mark(last.id, Mark::read, "nux");
  prompt("nux");
  EXPECT_EQ(send("nux", "max").message.hops, 3) << "whoever asks by itself begins no new turn";
  clock().advance(std::chrono::hours(1));
  EXPECT_EQ(send("nux", "max").message.hops, 1);
}

}  // namespace
}  // namespace townpost
