// L1: agents that answer each other are slowed, then stopped.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

class Loop : public testing::Test {
 protected:
  Loop() { town.agents({"alice", "bob"}); }
  /// The next answer of the chain; alice begins.
  Json answer() {
    const std::string who = length % 2 == 0 ? "alice" : "bob";
    const std::string text = "message " + std::to_string(++length);
    const Words words = last.empty() ? Words{"mail", "send", "bob", "-s", "Loop", "-m", text}
                                     : Words{"mail", "reply", last, "-m", text};
    const auto receipt = town.json(with(words, {"--as", who}));
    last = text_at(receipt, "id");
    return value_at(receipt, "recipients").at(0);
  }
  void answer_until(int hops) {
    while (length < hops) answer();
  }
  Words refused_reply() const { return {"mail", "reply", last, "-m", "one too many", "--as", "alice"}; }

  TestTown town;
  std::string last;
  int length = 0;
};

TEST_F(Loop, IsHeldFromTheNinthHopOn) {
  for (int hop = 1; hop <= 8; ++hop) EXPECT_NE(text_at(answer(), "state"), "held") << "hop " << hop;
  for (int hop = 9; hop <= 16; ++hop) {
    const auto told = answer();
    EXPECT_EQ(text_at(told, "state"), "held") << "hop " << hop;
    EXPECT_NE(text_at(told, "reason").find("L1"), std::string::npos) << text_at(told, "reason");
  }
}

TEST_F(Loop, IsToldByTopAsLongAsTheChainOfTheLastHourWas) {
  answer_until(5);
  const auto hops_of = [&](const std::string& who) -> std::int64_t {
    for (const auto& agent : items_of(town.json({"top"})))
      if (text_at(agent, "address") == who) return number_at(agent, "hops");
    return -1;
  };
  EXPECT_EQ(hops_of("alice"), 5);
  EXPECT_EQ(hops_of("bob"), 4);
  town.sql("UPDATE message SET created_at = created_at - 7200000; UPDATE agent SET shown_at = shown_at - 7200000");
  EXPECT_EQ(hops_of("alice"), 0) << "it is over";
  EXPECT_EQ(hops_of("bob"), 0);
}

TEST_F(Loop, HeldMailIsStoredAndShownAtTheNextLook) {
  answer_until(8);
  town.json({"mail", "ack", "--all", "--as", "bob"});
  answer();
  EXPECT_EQ(town.gt({"mail", "check", "--as", "bob"}).exit_code, 0);
  EXPECT_EQ(inbox_ids(town, "bob", {"--unread"}), Texts{last});
  const auto explained = town.gt({"mail", "explain", last, "--as", "bob"});
  EXPECT_NE(explained.out.find("L1"), std::string::npos) << explained.out;
  EXPECT_NE(town.gt({"why", last, "--as", "bob"}).out.find("L1"), std::string::npos);
  EXPECT_NE(town.gt({"why", "bob"}).out.find("L1"), std::string::npos);
}

TEST_F(Loop, HeldMailWakesNobodyWhoWaits) {
  answer_until(8);
  town.json({"mail", "ack", "--all", "--as", "bob"});
  answer();
  EXPECT_EQ(town.gt({"mail", "wait", "--timeout", "50ms", "--as", "bob"}).exit_code, 8);
}

TEST_F(Loop, PutsNoFreeTextIntoACommandForAPerson) {
  for (const std::string thread : {"gp-12.3", "x;touch${IFS}pwned#"}) {
    last =
        text_at(town.json({"mail", "send", "bob", "-s", thread, "-m", "x", "--thread", thread, "--as", "alice"}), "id");
    length = 1;
    answer_until(16);
    EXPECT_EQ(town.gt(refused_reply()).exit_code, 7);
  }
  std::size_t commands = 0;
  for (const auto& told : items_of(town.json({"mail", "inbox", "--as", "mayor/"}))) {
    const auto body = text_at(read_as(town, "mayor/", text_at(told, "id")), "body");
    EXPECT_EQ(body.find("touch"), std::string::npos) << body;
    commands += body.find("gt mail thread gp-12.3\n") != std::string::npos ? 1u : 0u;
  }
  EXPECT_EQ(commands, 1u);
}

TEST_F(Loop, IsRefusedAtTheSeventeenthHopWithOneEscalation) {
  answer_until(16);
  const auto stored = town.sql("SELECT count(*) FROM message");
  expect_refusal(town, refused_reply(), {7, "limited", "L1"});
  expect_refusal(town, refused_reply(), {7, "limited", "L1"});
  EXPECT_EQ(std::stoi(town.sql("SELECT count(*) FROM message")), std::stoi(stored) + 1)
      << "more than the one escalation was stored";
  const auto escalations = town.json({"mail", "inbox", "--as", "mayor/"});
  ASSERT_EQ(escalations.as_array().size(), 1u);
  EXPECT_EQ(text_at(escalations.at(0), "type"), "escalation");
  EXPECT_EQ(text_at(escalations.at(0), "from"), "townpost");
  EXPECT_EQ(text_at(escalations.at(0), "thread_id"), text_at(read_as(town, "alice", last), "thread_id"));
}

TEST_F(Loop, EscalatesToWhoTheTownNames) {
  town.settings("[town]\nescalation = \"overseer\"");
  answer_until(16);
  expect_refusal(town, refused_reply(), {7, "limited", "L1"});
  EXPECT_EQ(inbox_ids(town, "overseer").size(), 1u);
}

TEST_F(Loop, BeginsAnewWhenAPersonSpeaks) {
  answer_until(16);
  last = text_at(town.json({"mail", "reply", last, "-m", "go on, please"}), "id");
  // The person answered bob, who wrote last.
  const auto receipt = town.json({"mail", "reply", last, "-m", "gladly", "--as", "bob"});
  EXPECT_NE(text_at(value_at(receipt, "recipients").at(0), "state"), "held");
}

TEST_F(Loop, IsSeenThroughNewMailThatAnswersWhatWasShown) {
  // No reply_to anywhere: each reads what the other sent, then writes something new.
  std::string shown = town.send("alice", "bob", "new mail 1");
  Json told;
  for (int hop = 2; hop <= 9; ++hop) {
    const std::string who = hop % 2 == 0 ? "bob" : "alice";
    const std::string whom = hop % 2 == 0 ? "alice" : "bob";
    read_as(town, who, shown);
    const auto receipt =
        town.json({"mail", "send", "-m", "", whom, "-s", "new mail " + std::to_string(hop), "--as", who});
    told = value_at(receipt, "recipients").at(0);
    if (hop < 9) {
      EXPECT_NE(text_at(told, "state"), "held") << "hop " << hop;
    }
    shown = text_at(receipt, "id");
  }
  EXPECT_EQ(text_at(told, "state"), "held");
}

TEST_F(Loop, IsSeenThroughWhatAPromptAnnounced) {
  answer_until(8);
  town.gt({"mail", "check", "--inject", "--as", "alice"});
  const auto receipt = town.json({"mail", "send", "-m", "", "bob", "-s", "quite another matter", "--as", "alice"});
  EXPECT_EQ(text_at(value_at(receipt, "recipients").at(0), "state"), "held") << "the turn was shown hop 8";
}

TEST_F(Loop, IsNobodysConcernWithTheRuleOff) {
  town.settings("[limits]\nhops_held = 0\nhops_refused = 0\npair_per_minute = 0");
  for (int hop = 1; hop <= 18; ++hop) EXPECT_NE(text_at(answer(), "state"), "held") << "hop " << hop;
}

}  // namespace
}  // namespace townpost
