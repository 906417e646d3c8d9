// Renamed agents keep their mail, and their old names still reach them.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

using Texts = std::vector<std::string>;

TEST(Alias, TakesTheMailAlongAndOldNamesStillReachIt) {
  const TestTown town;
  town.agents({"coder", "bob"});
  const auto before = town.send("bob", "coder", "before");
  const auto renamed = town.json({"agent", "alias", "coder", "backend"});
  EXPECT_EQ(text_at(renamed, "address"), "backend");
  EXPECT_EQ(texts_in(value_at(renamed, "aliases")), Texts{"coder"});
  const auto answer = town.json({"mail", "send", "-m", "", "coder", "-s", "to the old name", "--as", "bob"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Texts{"backend"});
  const Texts all = {text_at(answer, "id"), before};
  EXPECT_EQ(inbox_ids(town, "backend"), all);
  EXPECT_EQ(inbox_ids(town, "coder"), all);
  EXPECT_EQ(texts_in(town.json({"mail", "inbox", "coder"}), "id"), all);
  EXPECT_EQ(text_at(town.json({"whoami"}, {{"MAIL_IDENTITY", "coder"}}), "address"), "backend");
}

TEST(Alias, UnderstandsTheNamesThatShowUnderstands) {
  const TestTown town;
  town.rigs({"web", "api"});
  town.agents({"web/polecats/toast", "api/crew/max", "api/polecats/max"});
  for (const auto* short_name : {"toast", "web/toast", "polecats/toast"}) {
    EXPECT_EQ(text_at(town.json({"agent", "show", short_name}), "address"), "web/polecats/toast");
    const auto renamed = town.json({"agent", "alias", short_name, "web/polecats/toaster"});
    EXPECT_EQ(text_at(renamed, "address"), "web/polecats/toaster") << short_name;
    EXPECT_EQ(texts_in(value_at(renamed, "aliases")), Texts{"web/polecats/toast"}) << "the old name in full";
    town.json({"agent", "alias", "toaster", "web/polecats/toast"});
  }
  expect_refused_untouched(town, {"agent", "alias", "max", "max2"}, {2, "usage", "api/crew/max"});
  expect_refused_untouched(town, {"agent", "alias", "nobody", "somebody"}, {4, "not_found", "nobody"});
}

TEST(Alias, IsFollowedByAnswersToMailFromTheOldName) {
  const TestTown town;
  town.agents({"coder", "bob"});
  const auto id = town.send("coder", "bob", "Question");
  town.json({"agent", "alias", "coder", "backend"});
  const auto answer = town.json({"mail", "reply", id, "-m", "Answer", "--as", "bob"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Texts{"backend"});
  EXPECT_EQ(texts_in(town.json({"mail", "sent", "--as", "backend"}), "id"), Texts{id});
}

// G324
TEST(Alias, MergesTwoMailboxesWithoutShowingAnythingTwice) {
  const TestTown town;
  town.agents({"old-one", "new-one", "bob"});
  const auto to_old = town.send("bob", "old-one", "to the old");
  const auto to_both = town.send("bob", "old-one", "to both", {"--cc", "new-one"});
  const auto to_new = town.send("bob", "new-one", "to the new");
  town.json({"agent", "alias", "old-one", "new-one"});
  EXPECT_EQ(inbox_ids(town, "new-one"), (Texts{to_new, to_both, to_old}));
  EXPECT_EQ(inbox_ids(town, "old-one"), (Texts{to_new, to_both, to_old}));
  EXPECT_EQ(texts_in(town.json({"agent", "list"}), "address"),
            (Texts{"bob", "deacon/", "mayor/", "new-one", "overseer"}));
}

TEST(Alias, MayBeRenamedAgainAndAgain) {
  const TestTown town;
  town.agents({"a", "bob"});
  const auto id = town.send("bob", "a", "Hi");
  town.json({"agent", "alias", "a", "b"});
  town.json({"agent", "alias", "b", "c"});
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(inbox_ids(town, name), Texts{id}) << name;
  EXPECT_EQ(texts_in(value_at(town.json({"agent", "show", "a"}), "aliases")), (Texts{"a", "b"}));
}

TEST(Alias, OfAnOldNameKeepsEveryNameInBetween) {
  const TestTown town;
  town.agents({"first"});
  town.json({"agent", "alias", "first", "second"});
  EXPECT_EQ(texts_in(value_at(town.json({"agent", "alias", "first", "third"}), "aliases")), (Texts{"first", "second"}));
  EXPECT_EQ(town.gt({"mail", "send", "-m", "", "second", "-s", "still you?"}).exit_code, 0);
  EXPECT_EQ(inbox_ids(town, "third").size(), 1u);
}

TEST(Alias, ThatMakesTwoAgentsOneSaysSo) {
  const TestTown town;
  town.agents({"one", "two"});
  const auto merged = town.gt({"agent", "alias", "one", "two"});
  EXPECT_NE(merged.err.find("one and two were two agents"), std::string::npos) << merged.err;
  EXPECT_EQ(town.gt({"agent", "alias", "two", "three"}).err, "") << "a plain renaming";
}

TEST(Alias, OfAWorkerNeedsItsRig) {
  const TestTown town;
  town.agents({"max"});
  expect_refused_untouched(town, {"agent", "alias", "max", "nowhere/crew/max"}, {4, "not_found", "nowhere"});
}

TEST(Alias, MayBeTakenBack) {
  const TestTown town;
  town.agents({"a", "bob"});
  const auto id = town.send("bob", "a", "Hi");
  town.json({"agent", "alias", "a", "b"});
  EXPECT_EQ(text_at(town.json({"agent", "alias", "b", "a"}), "address"), "a");
  for (const auto* name : {"a", "b"}) EXPECT_EQ(inbox_ids(town, name), Texts{id}) << name;
}

TEST(Alias, ToTheNameOfARemovedAgentKeepsEverythingReachable) {
  const TestTown town;
  town.agents({"old", "gone", "bob"});
  const auto id = town.send("bob", "old", "Hi");
  town.json({"agent", "remove", "gone"});
  EXPECT_EQ(text_at(town.json({"agent", "alias", "old", "gone"}), "address"), "gone");
  for (const auto* name : {"old", "gone"}) EXPECT_EQ(inbox_ids(town, name), Texts{id}) << name;
  town.send("bob", "gone", "Still there?");
}

TEST(Alias, WorksForWorkersWithTheirWholeAddress) {
  const TestTown town;
  town.rigs({"beads"});
  town.agents({"beads/crew/max", "bob"});
  const auto id = town.send("bob", "beads/crew/max", "Hi");
  town.json({"agent", "alias", "beads/crew/max", "beads/crew/moritz"});
  for (const auto* name : {"beads/crew/max", "beads/crew/moritz", "moritz"})
    EXPECT_EQ(inbox_ids(town, name), Texts{id}) << name;
}

TEST(Alias, OfTheTownsOwnOrOfItselfIsRefused) {
  const TestTown town;
  town.agents({"bob"});
  expect_refused_untouched(town, {"agent", "alias", "mayor/", "boss"}, {5, "refused", "mayor/"});
  expect_refused_untouched(town, {"agent", "alias", "overseer", "me"}, {5, "refused", "overseer"});
  expect_refused_untouched(town, {"agent", "alias", "bob", "bob"}, {2, "usage", "bob"});
  expect_refused_untouched(town, {"agent", "alias", "bob", "not an address"}, {2, "usage", "not an address"});
}

TEST(Alias, DoesNotSplitTheMailWhenTheOldNameIsAddedAgain) {
  const TestTown town;
  town.agents({"a", "bob"});
  town.json({"agent", "alias", "a", "b"});
  town.agents({"a"});
  const auto id = town.send("bob", "a", "To whom?");
  EXPECT_EQ(inbox_ids(town, "b"), Texts{id});
}

}  // namespace
}  // namespace townpost
