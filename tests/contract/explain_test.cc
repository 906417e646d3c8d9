#include "post/mail/explain.h"

#include "contract/town_fixture.h"
#include "post/nudge/announce.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

class ExplainTest : public TownTest {
 protected:
  Explanation told(MessageId id, std::string_view who = "overseer") { return must(explain(town(), id, caller(who))); }
  std::string_view state(MessageId id) { return name(told(id).standings.at(0).state); }
};
ON_EVERY_STORE(ExplainTest);

TEST_P(ExplainTest, TheWholeLifeOfAMessageIsTold) {
  Letter what = letter("max");
  what.ack_required = true;
  const Message message = send("nux", what).message;
  EXPECT_EQ(state(message.id), "waiting");
  must(announced(town(), caller("max"), must(announce(town(), caller("max"), Compaction::no))));
  EXPECT_EQ(state(message.id), "offered");
  must(room().read(message.id, Mailroom::Ack::no, caller("max")));
  EXPECT_EQ(state(message.id), "delivered");
  mark(message.id, Mark::read, "max");
  EXPECT_EQ(state(message.id), "acked");
  mark(message.id, Mark::archived, "max");
  EXPECT_EQ(state(message.id), "archived");
  mark(message.id, Mark::deleted, "max");
  EXPECT_EQ(state(message.id), "deleted");

  Strings history;
  for (const auto& entry : told(message.id).history) history.push_back(entry.what);
  EXPECT_EQ(history, (Strings{"stored", "offered", "delivered", "acked", "archived", "deleted"}));
  EXPECT_EQ(told(message.id).history.front().who, "beads/polecats/nux");
  EXPECT_NE(told(message.id).history[2].detail.find("evidence"), std::string::npos) << "evidence names itself";
}

TEST_P(ExplainTest, EveryStateHasItsWord) {
  EXPECT_EQ(standing_state_names(),
            (std::vector<std::string_view>{"waiting", "offered", "delivered", "read", "acked", "archived", "deleted",
                                           "available", "processing", "completed", "dead", "posted", "recalled"}));
  EXPECT_EQ(name(last_value(StandingState{})), "recalled");
}

TEST_P(ExplainTest, WhatARuleHoldsNamesTheRule) {
  for (int i = 0; i < 10; ++i) send("nux", "max");
  const Explanation held = told(send("nux", "max").message.id);
  EXPECT_NE(held.standings.at(0).why.find("L2"), std::string::npos) << held.standings.at(0).why;
  EXPECT_NE(held.history.at(0).detail.find("L2"), std::string::npos) << held.history.at(0).detail;
}

TEST_P(ExplainTest, IsForThoseConcernedAndForPeople) {
  const Message message = send("nux", "max").message;
  EXPECT_EQ(told(message.id, "nux").mail.message, message);
  EXPECT_EQ(told(message.id, "max").mail.message, message);
  EXPECT_EQ(error_of(explain(town(), message.id, caller("slit"))).code, Code::forbidden);
  EXPECT_EQ(error_of(explain(town(), MessageId{99}, caller("slit"))).code, Code::not_found);
}

TEST_P(ExplainTest, EachRecipientStandsForItself) {
  Letter what = letter("max");
  what.cc = {"slit"};
  const Message message = send("nux", what).message;
  mark(message.id, Mark::read, "slit");
  const Explanation both = told(message.id);
  ASSERT_EQ(both.standings.size(), 2u);
  EXPECT_EQ(both.standings[0].address, "beads/crew/max");
  EXPECT_EQ(both.standings[0].state, StandingState::waiting);
  EXPECT_FALSE(both.standings[0].why.empty());
  EXPECT_EQ(both.standings[1].address, "beads/polecats/slit");
  EXPECT_EQ(both.standings[1].state, StandingState::read);
  EXPECT_TRUE(both.standings[1].copy);
  EXPECT_TRUE(both.standings[1].why.empty());
}

TEST_P(ExplainTest, WhyTellsWhatStandsInTheWayNow) {
  EXPECT_EQ(must(why(town(), "max")).reasons, Strings{"nothing stands in the way"});
  for (int i = 0; i < 12; ++i) send("nux", "max");
  const Obstacles obstacles = must(why(town(), "crew/max"));
  EXPECT_EQ(obstacles.address, "beads/crew/max");
  EXPECT_EQ(obstacles.unread, 12);
  EXPECT_EQ(obstacles.held, 2);
  EXPECT_NE(join(obstacles.reasons, "; ").find("L2"), std::string::npos) << join(obstacles.reasons, "; ");
  EXPECT_EQ(error_of(why(town(), "nobody-there")).code, Code::not_found);
}

}  // namespace
}  // namespace townpost
