// A name may be used before anybody has it, and is found later. Until then a warning says so.
#include "contract/lists_fixture.h"
#include "post/mail/explain.h"

namespace townpost {
namespace {

class LaterNames : public ListsTest {
 protected:
  bool may_claim_from(const std::string& name, std::string_view who) {
    const auto answer = claims().claim(name, caller(who));
    return answer.has_value() || answer.error().code != Code::forbidden;
  }
  static std::string only(const std::vector<std::string>& texts) { return join(texts, "\n"); }
};
ON_EVERY_STORE(LaterNames);

TEST_P(LaterNames, AGroupInAGroupIsFoundOnceItIsThere) {
  for (const auto* spelling : {"inner", "@inner", "group:inner"}) {
    group("outer", {spelling, "max"});
    EXPECT_EQ(expansion("outer"), Strings{"beads/crew/max"}) << spelling;
    group("inner", {"nux"});
    EXPECT_EQ(expansion("outer"), (Strings{"beads/crew/max", "beads/polecats/nux"})) << spelling;
    EXPECT_EQ(send("overseer", "group:outer").recipients.size(), 2u) << spelling;
    must(groups().remove("inner", caller("overseer")));
    EXPECT_EQ(expansion("outer"), Strings{"beads/crew/max"}) << "gone again";
    group("inner", {"slit"});
    EXPECT_EQ(expansion("outer"), (Strings{"beads/crew/max", "beads/polecats/slit"})) << spelling;
    must(groups().remove("inner", caller("overseer")));
    must(groups().remove("outer", caller("overseer")));
  }
}

TEST_P(LaterNames, AGroupThatMayClaimIsFoundOnceItIsThere) {
  for (const auto* spelling : {"workers", "@workers", "group:workers"}) {
    queue({.name = "jobs", .claimers = spelling});
    EXPECT_FALSE(may_claim_from("jobs", "nux")) << spelling;
    group("workers", {"nux"});
    EXPECT_TRUE(may_claim_from("jobs", "nux")) << spelling;
    EXPECT_FALSE(may_claim_from("jobs", "max")) << spelling;
    must(queues().remove("jobs", Queues::Unfinished::drop));
    must(groups().remove("workers", caller("overseer")));
  }
}

TEST_P(LaterNames, AnAgentIsFoundOnceItIsThere) {
  group("ops", {"ace"});
  queue({.name = "jobs", .claimers = "ace"});
  register_agent("ace");
  EXPECT_EQ(expansion("ops"), Strings{"ace"});
  EXPECT_TRUE(may_claim_from("jobs", "ace"));
}

TEST_P(LaterNames, AGroupInAGroupThatMayClaimIsFoundOnceItIsThere) {
  group("outer", {"inner"});
  queue({.name = "jobs", .claimers = "outer"});
  EXPECT_FALSE(may_claim_from("jobs", "nux"));
  group("inner", {"nux"});
  EXPECT_TRUE(may_claim_from("jobs", "nux"));
}

TEST_P(LaterNames, ATypoInAGroupIsWarnedAbout) {
  group("makers", {"max"});
  const auto made = group("ops", {"mkaers", "@crwe", "beads/crew/maks", "nux"});
  const std::string doubts = join(made.doubts, "\n");
  EXPECT_EQ(made.doubts.size(), 3u) << doubts;
  EXPECT_TRUE(has(doubts, "\"mkaers\" matches nobody now; did you mean group:makers?")) << doubts;
  EXPECT_TRUE(has(doubts, "did you mean @crew?")) << doubts;
  EXPECT_TRUE(has(doubts, "did you mean beads/crew/max?")) << doubts;
  const auto added = must(groups().edit("ops", Groups::Edit::add, {"slti"}, caller("overseer")));
  EXPECT_TRUE(has(join(added.doubts, "\n"), "\"slti\" matches nobody now; did you mean beads/polecats/slit?"))
      << join(added.doubts, "\n");
}

TEST_P(LaterNames, ATypoInClaimersIsWarnedAbout) {
  EXPECT_EQ(
      queue({.name = "one", .claimers = "@polecat"}).doubt,
      "no registered agent may claim from queue one now: its claimers are group:polecat; did you mean @polecats?");
  EXPECT_EQ(queue({.name = "two", .claimers = "baeds/polecats/*"}).doubt,
            "no registered agent may claim from queue two now: its claimers are baeds/polecats/*; did you mean "
            "beads/polecats/*?");
  EXPECT_EQ(queue({.name = "three", .claimers = "beads/polecats/*"}).doubt, "");
  EXPECT_NE(must(queues().show("one")).doubt, "") << "until somebody may";
}

TEST_P(LaterNames, AJobThatNobodyMayClaimSaysSoUntilSomebodyMay) {
  queue({.name = "jobs", .claimers = "nobody-yet"});
  const std::string doubt = "no registered agent may claim from queue jobs now: its claimers are nobody-yet";
  const auto receipt = send("max", "queue:jobs");
  EXPECT_EQ(receipt.recipients.at(0).reason, doubt);
  EXPECT_EQ(only(receipt.warnings), doubt);
  const auto why_of = [&] { return must(explain(town(), receipt.message.id, caller("max"))).standings.at(0).why; };
  EXPECT_EQ(why_of(), doubt);
  register_agent("nobody-yet");
  EXPECT_EQ(why_of(), "it waits for a claimant");
  EXPECT_EQ(only(send("max", "queue:jobs").warnings), "");
}

}  // namespace
}  // namespace townpost
