// What each role should mail in a session, what counts, and when a sender is told.
#include "post/mail/budget.h"

#include "contract/nudge_fixture.h"

namespace townpost {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class BudgetTest : public NudgeTest {
 protected:
  BudgetTest() { limits().enabled = false; }
  /// Whether sending it told the sender that it mails too much.
  bool warned(std::string_view from, const Letter& what) {
    const auto warnings = send(from, what).warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const std::string& warning) { return has(warning, "over the mail budget"); });
  }
  bool warned(std::string_view from, const std::string& to, const std::string& subject = "news") {
    return warned(from, letter(to, subject));
  }
  BudgetLine line_of(std::string_view who) {
    for (const auto& line : must(budget(town())))
      if (line.address == caller(who).address.str()) return line;
    return {};
  }
};
ON_EVERY_STORE(BudgetTest);

TEST_P(BudgetTest, OfAPolecatIsOneMailASession) {
  EXPECT_FALSE(warned("nux", "max"));
  EXPECT_FALSE(line_of("nux").over);
  EXPECT_TRUE(warned("nux", "max"));
  const auto line = line_of("nux");
  EXPECT_EQ(line.sent, 2);
  EXPECT_TRUE(line.over);
  EXPECT_EQ(words(line.budget), "at most 1 a session");
  EXPECT_EQ(inbox("max").size(), 2u) << "a budget never blocks";
}

TEST_P(BudgetTest, WarnsOnceASession) {
  starts("nux", "first");
  EXPECT_FALSE(warned("nux", "max"));
  EXPECT_TRUE(warned("nux", "max"));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(warned("nux", "max")) << "it knows";
  clock().advance(minutes(1));
  starts("nux", "second");
  EXPECT_FALSE(warned("nux", "max")) << "a new session has a budget of its own";
  EXPECT_EQ(line_of("nux").sent, 1);
  EXPECT_TRUE(warned("nux", "max"));
}

TEST_P(BudgetTest, OfWhoHasNoSessionIsThatOfADay) {
  warned("nux", "max");
  EXPECT_TRUE(warned("nux", "max"));
  clock().advance(hours(25));
  EXPECT_EQ(line_of("nux").sent, 0);
  EXPECT_FALSE(warned("nux", "max"));
  EXPECT_TRUE(warned("nux", "max"));
}

TEST_P(BudgetTest, DoesNotCountWhatMustBeSaidOrCostsNothing) {
  channel("builds");
  const MessageId asked = send("max", "nux", "how far?").message.id;
  reply("nux", asked);
  Letter response = letter("max", "HELP_RESPONSE");
  response.reply_to = asked;
  for (const auto& [to, subject] :
       std::vector<std::pair<std::string, std::string>>{{"max", "[ol-1] PROGRESS"},
                                                        {"max", "[ol-1] PROGRESS"},
                                                        {"max", "[ol-1] BEAD_ACCEPTED"},
                                                        {"max", "SPAWN_ACK"},
                                                        {"beads/witness", "POLECAT_DONE nux"},
                                                        {"mayor/", "HELP: stuck"},
                                                        {"channel:builds", "green"}})
    EXPECT_FALSE(warned("nux", to, subject)) << subject;
  EXPECT_FALSE(warned("nux", response));
  EXPECT_EQ(line_of("nux").sent, 0);
  EXPECT_EQ(line_of("nux").uncounted, 9);
  EXPECT_FALSE(warned("nux", "max")) << "the one it has";
}

TEST_P(BudgetTest, TellsOfPostsThatWerePrunedSinceToo) {
  channel("builds", {.retain_count = 2});
  for (int i = 0; i < 6; ++i) publish("builds");
  EXPECT_EQ(line_of("nux").uncounted, 6);
  EXPECT_FALSE(warned("nux", "max"));
  EXPECT_EQ(line_of("nux").sent, 1);
  EXPECT_EQ(line_of("nux").uncounted, 6);
}

TEST_P(BudgetTest, CountsAPostThatIsMailToo) {
  channel("builds");
  Letter both = letter("channel:builds");
  both.to.emplace_back("max");
  EXPECT_FALSE(warned("nux", both));
  EXPECT_EQ(line_of("nux").sent, 1);
}

TEST_P(BudgetTest, OfWitnessAndRefineryIsProtocolMessages) {
  for (const std::string who : {"beads/witness", "beads/refinery"}) {
    EXPECT_FALSE(warned(who, "max", "MERGED nux"));
    EXPECT_TRUE(warned(who, "max", "chatter"));
    EXPECT_FALSE(warned(who, "max", "chatter")) << "once is enough";
    EXPECT_EQ(line_of(who).protocol, 1);
    EXPECT_TRUE(line_of(who).over);
  }
}

TEST_P(BudgetTest, OfTheDeaconIsEscalations) {
  EXPECT_FALSE(warned("deacon/", "mayor/", "ALERT: a stall"));
  EXPECT_FALSE(warned("deacon/", "deacon/", "🤝 HANDOFF: cycling"));
  EXPECT_FALSE(line_of("deacon/").over);
  EXPECT_TRUE(warned("deacon/", "beads/witness", "HEALTH_CHECK"));
}

TEST_P(BudgetTest, AnEscalationOfWitnessOrDeaconIsNeverTooMuch) {
  for (const std::string who : {"beads/witness", "deacon/"}) {
    Letter escalation = letter("mayor/", "gp-1 needs somebody");
    escalation.type = MessageType::escalation;
    EXPECT_FALSE(warned(who, escalation));
    EXPECT_EQ(line_of(who).sent, 0);
    EXPECT_FALSE(line_of(who).over);
  }
}

TEST_P(BudgetTest, OfTheMayorIsStrategy) {
  EXPECT_FALSE(warned("mayor/", "max", "the plan for both rigs"));
  EXPECT_FALSE(warned("mayor/", "mayor/", "🤝 HANDOFF: cycling"));
  Letter plan = letter("max", "the plan");
  plan.cc = {"deacon/"};
  EXPECT_FALSE(warned("mayor/", plan));
  EXPECT_FALSE(warned("mayor/", "beads/witness", "SWARM_START nux"));
  EXPECT_FALSE(line_of("mayor/").over);
  EXPECT_TRUE(warned("mayor/", "deacon/", "look after nux"));
  EXPECT_TRUE(line_of("mayor/").over);
}

TEST_P(BudgetTest, IsNobodysWithoutARuleAndWhatTheTownSays) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(warned("max", "nux"));
    EXPECT_FALSE(warned("overseer", "nux"));
  }
  EXPECT_EQ(words(line_of("max").budget), "none");
  town().settings.budgets = {{"crew", 3}, {"witness", 0}};
  EXPECT_TRUE(warned("max", "nux"));
  EXPECT_TRUE(warned("beads/witness", "max", "MERGED nux")) << "a number replaces the rule";
}

TEST_P(BudgetTest, TheWarningStandsInTheLog) {
  warned("nux", "max");
  warned("nux", "max");
  const AgentId nux = id_of("nux");
  const auto noted = reading(store(), [&](Ledger& ledger) {
    return must(ledger.events_about(nux, EventKind::over_budget, {{0}, clock().now()}, 10));
  });
  ASSERT_EQ(noted.size(), 1u);
  EXPECT_EQ(noted[0].detail, "at most 1 a session");
}

}  // namespace
}  // namespace townpost
