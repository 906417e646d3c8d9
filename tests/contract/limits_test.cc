#include "post/rules/limits.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class LimitsTest : public TownTest {
 protected:
  std::string_view state(const Receipt& receipt) { return name(receipt.recipients.at(0).state); }
  Result<Receipt> try_send(std::string_view from, const std::string& to) {
    return office().send(letter(to), caller(from));
  }
  /// Sends to many different mailboxes, so that only the sender's own limit counts.
  void send_widely(std::string_view from, int number) {
    for (int i = 0; i < number; ++i) {
      Letter what = letter(cat("alpha/crew/c", i % 60));
      what.unknown = Unknown::create;
      send(from, what);
    }
  }
};
ON_EVERY_STORE(LimitsTest);

TEST_P(LimitsTest, TheEleventhToOneRecipientInAMinuteIsHeld) {
  for (int i = 0; i < 10; ++i) EXPECT_NE(state(send("nux", "max")), "held") << i;
  const Receipt held = send("nux", "max");
  EXPECT_EQ(state(held), "held");
  EXPECT_NE(held.recipients[0].reason.find("L2"), std::string::npos) << held.recipients[0].reason;
  EXPECT_EQ(copy_of(held.message.id, "max").held_by, "L2");
  EXPECT_EQ(inbox("max").size(), 11u) << "held is stored";
  EXPECT_NE(state(send("nux", "slit")), "held") << "another recipient";
  EXPECT_NE(state(send("slit", "max")), "held") << "another sender";
}

TEST_P(LimitsTest, TheMinuteOfAPairClears) {
  for (int i = 0; i < 11; ++i) send("nux", "max");
  clock().advance(minutes(1) - Millis(1));
  EXPECT_EQ(state(send("nux", "max")), "held");
  clock().advance(minutes(1));
  EXPECT_NE(state(send("nux", "max")), "held");
}

TEST_P(LimitsTest, WhatAPairsLimitHeldWakesWhenTheWindowClears) {
  for (int i = 0; i < 10; ++i) mark(send("nux", "max").message.id, Mark::read, "max");
  send("nux", "max");
  const auto news = must(room().news_for(agent_of("max")));
  EXPECT_FALSE(news.arrived);
  EXPECT_LE(news.next_at, clock().now() + minutes(2)) << "whoever waits is told when to look again";
  clock().set(news.next_at);
  EXPECT_TRUE(must(room().news_for(agent_of("max"))).arrived);
}

TEST_P(LimitsTest, TheThirtyFirstToOneRecipientInAnHourIsHeld) {
  for (int i = 0; i < 30; ++i) {
    EXPECT_NE(state(send("nux", "max")), "held") << i;
    clock().advance(seconds(61));
  }
  EXPECT_EQ(state(send("nux", "max")), "held");
  clock().advance(hours(1));
  EXPECT_NE(state(send("nux", "max")), "held");
}

TEST_P(LimitsTest, TheFourthToItselfInAMinuteIsHeld) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(copy_of(send("nux", "nux").message.id, "nux").held_by, "") << i;
  EXPECT_EQ(state(send("nux", "nux")), "held");
}

TEST_P(LimitsTest, OneHundredAndTwentyAnHourAreTheMostOfASender) {
  send_widely("nux", 120);
  clock().advance(minutes(10));
  const Error error = error_of(try_send("nux", "max"));
  EXPECT_EQ(error.code, Code::limited);
  EXPECT_NE(error.message.find("L3"), std::string::npos) << error.message;
  ASSERT_TRUE(error.retry_after_s.has_value());
  EXPECT_TRUE(inbox("max").empty());
  clock().advance(seconds(*error.retry_after_s - 2));
  EXPECT_FALSE(try_send("nux", "max").has_value());
  clock().advance(seconds(2));
  EXPECT_TRUE(try_send("nux", "max").has_value()) << "it passes when the answer said so";
}

TEST_P(LimitsTest, SixHundredADayAreTheMostOfASender) {
  limits().sender_per_hour = 0;
  limits().sender_per_day = 20;  // the rule, not the number
  for (int i = 0; i < 20; ++i) {
    send_widely("nux", 1);
    clock().advance(minutes(10));
  }
  EXPECT_EQ(error_of(try_send("nux", "max")).code, Code::limited);
  clock().advance(hours(24) - minutes(200));
  EXPECT_TRUE(try_send("nux", "max").has_value());
}

TEST_P(LimitsTest, TheMayorMaySendFiveTimesThat) {
  limits().sender_per_hour = 4;
  for (const auto* coordinator : {"mayor/", "deacon/"}) {
    send_widely(coordinator, 20);
    EXPECT_EQ(error_of(try_send(coordinator, "max")).code, Code::limited);
  }
}

TEST_P(LimitsTest, ThreeRefusalsHoldTheSendersMailUntilAPersonReleasesIt) {
  limits().sender_per_hour = 4;
  send_widely("nux", 4);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(try_send("nux", "max").has_value());
  EXPECT_EQ(inbox("overseer").size(), 1u) << "a person is told";
  EXPECT_FALSE(try_send("nux", "max").has_value());
  EXPECT_EQ(inbox("overseer").size(), 1u) << "once";

  clock().advance(hours(2));
  const Receipt held = send("nux", "max");
  EXPECT_EQ(state(held), "held");
  EXPECT_NE(held.recipients[0].reason.find("L3"), std::string::npos);
  EXPECT_FALSE(must(room().news_for(agent_of("max"))).arrived);
  clock().advance(hours(24));
  EXPECT_EQ(state(send("nux", "max")), "held") << "time alone does not end it";

  const auto rings = bell().rings(id_of("max"));
  must(registry().release("nux", caller("overseer")));
  EXPECT_TRUE(must(room().news_for(agent_of("max"))).arrived) << "what was held may wake now";
  EXPECT_GT(bell().rings(id_of("max")), rings);
  EXPECT_NE(state(send("nux", "max")), "held");
}

TEST_P(LimitsTest, RefusalsFarApartHoldNothing) {
  limits().sender_per_hour = 4;
  for (int i = 0; i < 4; ++i) {
    send_widely("nux", 4);
    EXPECT_FALSE(try_send("nux", "max").has_value());
    clock().advance(hours(1));
  }
  EXPECT_NE(state(send("nux", "max")), "held");
  EXPECT_TRUE(inbox("overseer").empty());
}

TEST_P(LimitsTest, PeopleAreExempt) {
  for (int i = 0; i < 130; ++i) EXPECT_NE(state(send("overseer", "max")), "held") << i;
  const Letter same = letter("max");
  EXPECT_NE(send("overseer", same).message.id, send("overseer", same).message.id);
}

TEST_P(LimitsTest, DisabledLimitsHoldAndRefuseNothing) {
  limits().enabled = false;
  for (int i = 0; i < 130; ++i) EXPECT_NE(state(send("nux", "max")), "held") << i;
  const Letter same = letter("max");
  EXPECT_NE(send("nux", same).message.id, send("nux", same).message.id);
}

TEST_P(LimitsTest, TheSameMailAgainIsTheFirstOne) {
  const Letter what = letter("max");
  const Receipt first = send("nux", what);
  const Receipt again = send("nux", what);
  EXPECT_TRUE(again.duplicate);
  EXPECT_FALSE(first.duplicate);
  EXPECT_EQ(again.message.id, first.message.id);
  EXPECT_EQ(inbox("max").size(), 1u);
  clock().advance(hours(24 * 30));
  EXPECT_TRUE(send("nux", what).duplicate) << "as long as it is unread";
}

TEST_P(LimitsTest, ReadMailMayBeRepeatedAfterTenMinutes) {
  const Letter what = letter("max");
  mark(send("nux", what).message.id, Mark::read, "max");
  clock().advance(minutes(10) - Millis(1));
  EXPECT_TRUE(send("nux", what).duplicate);
  clock().advance(Millis(1));
  EXPECT_FALSE(send("nux", what).duplicate);
  EXPECT_EQ(inbox("max").size(), 2u);
}

TEST_P(LimitsTest, OtherContentRecipientsOrSendersAreNoDuplicate) {
  Letter what = letter("max");
  send("nux", what);
  EXPECT_FALSE(send("slit", what).duplicate);
  Letter other = what;
  other.subject += "!";
  EXPECT_FALSE(send("nux", other).duplicate);
  other = what;
  other.to = {"slit"};
  EXPECT_FALSE(send("nux", other).duplicate);
  other = what;
  other.cc = {"slit"};
  EXPECT_FALSE(send("nux", other).duplicate);
  other = what;
  other.to = {"crew/max"};
  EXPECT_TRUE(send("nux", other).duplicate) << "the same mailbox by another spelling";
}

}  // namespace
}  // namespace townpost
