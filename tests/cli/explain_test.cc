// explain, why, budget: the truth about a message, an agent, a town.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

TEST(Explain, TellsTheWholeHistory) {
  const TestTown town;
  town.agents({"alice", "bob", "carol"});
  const auto id = town.send("bob", "alice", "Hi", {"--cc", "carol", "--ack"});
  town.gt({"mail", "check", "--inject", "--as", "alice"});
  town.json({"mail", "read", id, "--as", "alice"});
  town.json({"mail", "ack", id, "--as", "alice"});
  town.json({"mail", "archive", id, "--as", "alice"});
  const auto told = town.json({"mail", "explain", id, "--as", "bob"});
  const auto history = value_at(told, "history");
  EXPECT_EQ(texts_in(history, "what"), (Texts{"stored", "offered", "delivered", "acked", "archived"}));
  EXPECT_EQ(texts_in(history, "who"), (Texts{"bob", "alice", "alice", "alice", "alice"}));
  for (const auto& at : texts_in(history, "at")) EXPECT_TRUE(is_instant(at)) << at;
  EXPECT_NE(text_at(history.at(2), "detail").find("evidence"), std::string::npos) << "delivered without evidence";
  const auto recipients = value_at(told, "recipients");
  EXPECT_EQ(texts_in(recipients, "address"), (Texts{"alice", "carol"}));
  EXPECT_EQ(texts_in(recipients, "state"), (Texts{"archived", "waiting"}));
  EXPECT_NE(text_at(recipients.at(1), "why"), "") << "why does carol not have it?";
  const auto text = town.gt({"mail", "explain", id, "--as", "bob"});
  for (const auto* part : {"stored", "offered", "delivered", "acked", "archived", "carol (cc): waiting"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " is missing in\n" << text.out;
}

TEST(Explain, OfMailThatWasPutAwayNothingStandsInTheWay) {
  const TestTown town;
  town.agents({"alice", "bob"});
  const auto id = town.send("bob", "alice", "Hi");
  town.json({"mail", "archive", id, "--as", "alice"});
  const auto standing = value_at(town.json({"mail", "explain", id, "--as", "bob"}), "recipients").at(0);
  EXPECT_EQ(text_at(standing, "state"), "archived");
  EXPECT_EQ(text_at(standing, "why"), "") << "it waits for nothing";
}

TEST(Why, TellsWhatStandsInTheWayOfAMessage) {
  const TestTown town;
  town.agents({"alice"});
  town.json({"agent", "add", "bob", "--session", "tmux:bob"});
  const auto id = town.send("overseer", "alice", "Hi", {"bob"});
  const auto told = town.json({"why", id});
  EXPECT_EQ(texts_in(told, "address"), (Texts{"alice", "bob"}));
  EXPECT_NE(text_at(told.at(0), "why").find("not running"), std::string::npos);
  EXPECT_NE(text_at(told.at(1), "why").find("tmux:bob"), std::string::npos);
  town.json({"agent", "remove", "alice"});
  EXPECT_NE(text_at(town.json({"why", id}).at(0), "why").find("removed"), std::string::npos);
  EXPECT_EQ(town.json({"mail", "why", id}), town.json({"why", id}));
}

TEST(Why, TellsWhatStandsInTheWayOfAnAgent) {
  const TestTown town;
  town.agents({"alice"});
  const auto idle = town.json({"why", "alice"});
  EXPECT_EQ(number_at(idle, "unread"), 0);
  EXPECT_EQ(texts_in(value_at(idle, "reasons")), Texts{"nothing stands in the way"});
  town.send("overseer", "alice", "Hi");
  const auto waiting = town.json({"why", "alice"});
  EXPECT_EQ(number_at(waiting, "unread"), 1);
  EXPECT_NE(texts_in(value_at(waiting, "reasons")).at(0).find("not running"), std::string::npos);
  EXPECT_EQ(text_at(town.json({"why", "--as", "alice"}), "address"), "alice")
      << "without a name it is about the caller";
  EXPECT_NE(town.gt({"why", "alice"}).out.find("alice: 1 unread"), std::string::npos);
  EXPECT_EQ(town.gt({"mail", "check", "--inject", "--as", "alice"}).exit_code, 0);
  EXPECT_EQ(texts_in(value_at(town.json({"why", "alice"}), "reasons")).back(),
            "1 unread message is announced and not read yet");
  town.json({"agent", "add", "bob", "--session", "tmux:no-such-session"});
  EXPECT_EQ(texts_in(value_at(town.json({"why", "bob"}), "reasons")),
            Texts{"nothing is known to stand in the way: its session was not looked at yet"});
}

TEST(Budget, CountsMailByRoleAndWarnsWithoutBlocking) {
  const TestTown town;
  town.rigs({"beads"});
  town.agents({"beads/polecats/nux", "beads/crew/max"});
  EXPECT_EQ(town.json({"mail", "budget"}), Json(JsonArray{}));
  const auto within =
      town.gt({"mail", "send", "-m", "", "mayor/", "-s", "POLECAT_DONE nux", "--as", "beads/polecats/nux"});
  EXPECT_EQ(within.err.find("budget"), std::string::npos) << within.err;
  town.send("beads/polecats/nux", "mayor/", "one");
  const auto over = town.gt({"mail", "send", "-m", "", "mayor/", "-s", "one more", "--as", "beads/polecats/nux"});
  EXPECT_EQ(over.exit_code, 0) << "a budget never blocks";
  EXPECT_NE(over.err.find("budget"), std::string::npos) << over.err;
  const auto lines = town.json({"mail", "budget"});
  EXPECT_EQ(texts_in(lines, "address"), Texts{"beads/polecats/nux"});
  EXPECT_EQ(number_at(lines.at(0), "sent"), 2);
  EXPECT_EQ(number_at(lines.at(0), "not_counted"), 1) << "that it is done must be said";
  EXPECT_EQ(text_at(lines.at(0), "rule"), "at most 1 a session");
  EXPECT_TRUE(flag_at(lines.at(0), "over"));
  EXPECT_NE(town.gt({"mail", "budget"}).out.find("beads/polecats/nux"), std::string::npos);
}

}  // namespace
}  // namespace townpost
