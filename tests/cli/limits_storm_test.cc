// L2, L3, L5 and who they spare.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

class Storm : public testing::Test {
 protected:
  Storm() { town.agents({"alice", "bob", "carol"}); }
  /// Sends different mail; the state that the first recipient's line tells.
  std::string state_of_next(const std::string& from, const std::string& to) {
    const auto receipt =
        town.json({"mail", "send", "-m", "", to, "-s", "mail " + std::to_string(++number), "--as", from});
    return text_at(value_at(receipt, "recipients").at(0), "state");
  }
  void pass_minutes(int minutes) const {
    const auto ms = std::to_string(minutes * 60'000);
    town.sql("UPDATE message SET created_at = created_at - " + ms + "; UPDATE event SET at = at - " + ms +
             "; UPDATE delivery SET held_until = held_until - " + ms);
  }
  Words next_send() {
    return {"mail", "send", "-m", "", "bob", "-s", "mail " + std::to_string(++number), "--as", "alice"};
  }
  int escalations() const { return static_cast<int>(inbox_ids(town, "overseer").size()); }

  TestTown town;
  int number = 0;
};

TEST_F(Storm, OfOneSenderToOneRecipientIsHeldFromTheEleventhInAMinute) {
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(state_of_next("alice", "bob"), "no-session") << "mail " << i;
  EXPECT_EQ(state_of_next("alice", "bob"), "held");
  EXPECT_EQ(state_of_next("alice", "carol"), "no-session") << "another recipient has room";
  EXPECT_EQ(state_of_next("carol", "bob"), "no-session") << "another sender has room";
  EXPECT_EQ(inbox_ids(town, "bob").size(), 12u) << "held mail is stored";
  const auto held = town.json({"mail", "inbox", "--from", "alice", "--as", "bob"}).at(0);
  EXPECT_NE(town.gt({"mail", "explain", text_at(held, "id"), "--as", "bob"}).out.find("L2"), std::string::npos);
  pass_minutes(2);
  EXPECT_EQ(state_of_next("alice", "bob"), "no-session") << "the window has cleared";
}

TEST_F(Storm, IsToldOfOnItsSendersSideToo) {
  town.settings("[limits]\nsender_per_hour = 12");
  const auto of = [&](const std::string& who, const Json& agents) {
    for (const auto& agent : items_of(agents))
      if (text_at(agent, "address") == who) return agent;
    throw std::runtime_error("no " + who);
  };
  const auto status_of = [&](const std::string& who) { return of(who, value_at(town.json({"status"}), "agents")); };
  for (int i = 1; i <= 12; ++i) state_of_next("alice", "bob");
  EXPECT_EQ(number_at(status_of("alice"), "held_sent"), 2);
  EXPECT_FALSE(status_of("bob").get_object().contains("held_sent"));
  EXPECT_EQ(number_at(of("alice", town.json({"top"})), "held_sent"), 2);
  EXPECT_EQ(number_at(of("bob", town.json({"top"})), "held"), 2);
  EXPECT_NE(town.gt({"status"}).out.find("2 messages of its own are held"), std::string::npos);
  town.json({"mail", "ack", "--all", "--as", "bob"});
  EXPECT_FALSE(status_of("alice").get_object().contains("held_sent")) << "what was read is held back from nobody";
  for (int refusal = 1; refusal <= 3; ++refusal) EXPECT_EQ(town.gt(next_send()).exit_code, 7);
  EXPECT_TRUE(status_of("alice").get_object().contains("sending_held_since"));
  EXPECT_NE(town.gt({"status"}).out.find("its mail is held"), std::string::npos);
}

TEST_F(Storm, OfThirtyInAnHourIsHeldToo) {
  for (int i = 1; i <= 30; ++i) {
    EXPECT_EQ(state_of_next("alice", "bob"), "no-session") << "mail " << i;
    if (i % 10 == 0) pass_minutes(2);
  }
  EXPECT_EQ(state_of_next("alice", "bob"), "held");
}

TEST_F(Storm, ToOneselfIsHeldFromTheFourthInAMinute) {
  for (int i = 1; i <= 3; ++i) EXPECT_NE(state_of_next("alice", "alice"), "held") << "mail " << i;
  EXPECT_EQ(state_of_next("alice", "alice"), "held");
}

TEST_F(Storm, HeldForTheMinuteWakesWhenTheWindowHasCleared) {
  for (int i = 1; i <= 10; ++i) state_of_next("alice", "bob");
  town.json({"mail", "ack", "--all", "--as", "bob"});
  EXPECT_EQ(state_of_next("alice", "bob"), "held");
  pass_minutes(2);
  EXPECT_EQ(town.gt({"mail", "wait", "--timeout", "50ms", "--as", "bob"}).exit_code, 0)
      << "held until the window clears, not for ever";
}

TEST_F(Storm, OfOneSenderIsRefusedAfter120AnHour) {
  for (int i = 1; i <= 120; ++i) state_of_next("alice", i % 2 ? "bob" : "carol");
  const auto stored = town.sql("SELECT count(*) FROM message");
  const auto refused = town.gt(with(next_send(), {"--json"}));
  EXPECT_EQ(refused.exit_code, 7);
  const auto error = value_at(*parse_json(refused.out), "error");
  EXPECT_EQ(text_at(error, "code"), "limited");
  EXPECT_NE(text_at(error, "message").find("L3"), std::string::npos);
  EXPECT_GT(number_at(error, "retry_after"), 3000);
  EXPECT_LE(number_at(error, "retry_after"), 3601);
  EXPECT_EQ(town.sql("SELECT count(*) FROM message"), stored) << "what was refused was stored";
  EXPECT_EQ(state_of_next("carol", "bob"), "no-session") << "others go on";
  pass_minutes(61);
  EXPECT_EQ(state_of_next("alice", "bob"), "no-session");
}

TEST_F(Storm, ThatIsRefusedThreeTimesIsHeldUntilReleased) {
  town.settings("[limits]\nsender_per_hour = 2");
  for (int i = 0; i < 2; ++i) state_of_next("alice", "bob");
  for (int refusal = 1; refusal <= 5; ++refusal) {
    EXPECT_EQ(town.gt(next_send()).exit_code, 7);
    EXPECT_EQ(escalations(), refusal < 3 ? 0 : 1) << "after refusal " << refusal;
  }
  const auto told = town.json({"mail", "inbox"}).at(0);
  EXPECT_EQ(text_at(told, "type"), "escalation");
  EXPECT_NE(text_at(told, "body").find("gt agent release alice"), std::string::npos) << text_at(told, "body");
  pass_minutes(61);
  EXPECT_EQ(state_of_next("alice", "bob"), "held") << "three refusals hold its mail";
  EXPECT_NE(town.gt({"why", "alice"}).out.find("gt agent release alice"), std::string::npos);
  expect_refused_untouched(town, {"agent", "release", "alice", "--as", "alice"}, {5, "forbidden", "alice"});
  town.json({"agent", "release", "alice", "--as", "overseer"});
  EXPECT_EQ(state_of_next("alice", "bob"), "no-session");
}

TEST_F(Storm, OfTheMayorMayBeFiveTimesAsBig) {
  town.settings("[limits]\nsender_per_hour = 2\npair_per_minute = 0");
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(state_of_next("mayor/", "bob"), "no-session") << "mail " << i;
  EXPECT_EQ(town.gt({"mail", "send", "-m", "", "bob", "-s", "one more", "--as", "mayor/"}).exit_code, 7);
}

TEST_F(Storm, OfAWholeDayIsRefusedToo) {
  town.settings("[limits]\nsender_per_day = 4\nsender_per_hour = 3");
  for (int i = 1; i <= 4; ++i) {
    state_of_next("alice", "bob");
    pass_minutes(61);
  }
  const auto refused = town.gt(with(next_send(), {"--json"}));
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_GT(number_at(value_at(*parse_json(refused.out), "error"), "retry_after"), 3600);
}

TEST_F(Storm, OfTheSameMailIsStoredOnce) {
  const Words call = {"mail", "send", "bob", "--cc", "carol", "-s", "Same", "-m", "text", "--as", "alice"};
  const auto first = town.json(call);
  EXPECT_FALSE(flag_at(first, "duplicate"));
  const auto before = town.sql("SELECT count(*) FROM message");
  const auto again = town.json(call);
  EXPECT_TRUE(flag_at(again, "duplicate"));
  EXPECT_EQ(text_at(again, "id"), text_at(first, "id"));
  EXPECT_EQ(text_at(again, "thread_id"), text_at(first, "thread_id"));
  EXPECT_EQ(town.sql("SELECT count(*) FROM message"), before);
  EXPECT_NE(town.gt(call).out.find("already sent as " + text_at(first, "id")), std::string::npos);
}

TEST_F(Storm, OfMailThatDiffersAnywhereIsNoRepetition) {
  const auto id = town.send("alice", "bob", "Same", {"-m", "text"});
  EXPECT_NE(town.send("alice", "bob", "Same", {"-m", "text."}), id);
  EXPECT_NE(town.send("alice", "bob", "Same.", {"-m", "text"}), id);
  EXPECT_NE(town.send("alice", "carol", "Same", {"-m", "text"}), id);
  EXPECT_NE(town.send("alice", "bob", "Same", {"-m", "text", "--cc", "carol"}), id);
  EXPECT_NE(town.send("carol", "bob", "Same", {"-m", "text"}), id);
}

TEST_F(Storm, OfOldMailThatWasReadIsNoRepetition) {
  const auto id = town.send("alice", "bob", "Same");
  pass_minutes(11);
  EXPECT_EQ(town.send("alice", "bob", "Same"), id) << "the first is still unread";
  town.json({"mail", "ack", id, "--as", "bob"});
  EXPECT_NE(town.send("alice", "bob", "Same"), id);
}

TEST_F(Storm, OfAPersonIsNobodysBusiness) {
  town.settings("[limits]\nsender_per_hour = 5\npair_per_minute = 3");
  for (int i = 1; i <= 12; ++i) EXPECT_EQ(state_of_next("overseer", "bob"), "no-session") << "mail " << i;
  EXPECT_NE(town.send("overseer", "bob", "Same"), town.send("overseer", "bob", "Same"));
}

TEST_F(Storm, IsLetThroughWhereLimitsAreOff) {
  town.settings("[limits]\nenabled = false\nsender_per_hour = 5\npair_per_minute = 3");
  for (int i = 1; i <= 12; ++i) EXPECT_EQ(state_of_next("alice", "bob"), "no-session") << "mail " << i;
  EXPECT_NE(town.send("alice", "bob", "Same"), town.send("alice", "bob", "Same"));
}

}  // namespace
}  // namespace townpost
