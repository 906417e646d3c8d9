#include "contract/town_fixture.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

class NamesTest : public TownTest {};
ON_EVERY_STORE(NamesTest);

TEST_P(NamesTest, ARenamedAgentKeepsItsMailAndItsOldNameStillReachesIt) {
  const Message before = send("nux", "max").message;
  const Agent moe = must(registry().alias("beads/crew/max", "beads/crew/moe")).agent;
  EXPECT_EQ(moe.address.str(), "beads/crew/moe");
  const Receipt after = send("nux", "beads/crew/max");
  EXPECT_EQ(after.recipients.at(0).address, "beads/crew/moe");
  EXPECT_EQ(after.message.to, Strings{"beads/crew/moe"});
  ASSERT_EQ(inbox("beads/crew/moe").size(), 2u);
  EXPECT_EQ(inbox("beads/crew/max").size(), 2u) << "looking by the old name";
  EXPECT_EQ(inbox("beads/crew/moe").at(1).message, before) << "what was sent is frozen";
  EXPECT_EQ(must(registry().aliases(moe)), Strings{"beads/crew/max"});
}

TEST_P(NamesTest, MailboxesOfTwoKnownNamesAreMerged) {
  register_agent("coder");
  register_agent("writer");
  Letter both = letter("coder");
  both.to.push_back("writer");
  send("nux", both);
  send("nux", "coder");
  send("nux", "writer");
  send("coder", "nux");
  must(registry().alias("coder", "writer"));
  EXPECT_EQ(inbox("writer").size(), 3u) << "each message once";
  EXPECT_EQ(must(room().sent(std::nullopt, 10, caller("writer"))).size(), 1u);
  send("nux", "coder");
  EXPECT_EQ(inbox("writer").size(), 4u);
  for (const auto& agent : must(registry().agents())) EXPECT_NE(agent.address.str(), "coder");
}

TEST_P(NamesTest, ChainsOfNamesAllLeadToTheSameMailbox) {
  register_agent("first");
  must(registry().alias("first", "second"));
  must(registry().alias("second", "third"));
  for (const auto* name : {"first", "second", "third"}) {
    const Receipt receipt = send("nux", name);
    EXPECT_EQ(receipt.recipients.at(0).address, "third") << name;
  }
  EXPECT_EQ(inbox("third").size(), 3u);
}

TEST_P(NamesTest, AnAgentMayGetItsOldNameBack) {
  register_agent("coder");
  must(registry().alias("coder", "writer"));
  must(registry().alias("writer", "coder"));
  EXPECT_EQ(must(registry().agent("coder")).address.str(), "coder");
  EXPECT_EQ(must(registry().agent("writer")).address.str(), "coder");
}

TEST_P(NamesTest, ARenamingToARemovedAgentsNameLosesNoMail) {
  register_agent("coder");
  register_agent("gone");
  must(registry().remove_agent("gone"));
  send("nux", "coder");
  must(registry().alias("coder", "gone"));
  EXPECT_EQ(send("nux", "coder").recipients.at(0).address, "gone");
  EXPECT_EQ(inbox("gone").size(), 2u);
}

TEST_P(NamesTest, WhatBelongsToEveryTownCannotBeRenamed) {
  for (const auto* name : {"mayor/", "overseer", "beads/witness"})
    EXPECT_EQ(error_of(registry().alias(name, "coder")).code, Code::refused) << name;
  EXPECT_EQ(error_of(registry().alias("nobody", "noone")).code, Code::not_found);
  EXPECT_EQ(error_of(registry().alias("max", "max")).code, Code::usage);
}

TEST_P(NamesTest, ARemovedAgentTakesNoMailAndKeepsWhatItHas) {
  send("nux", "max");
  must(registry().remove_agent("max"));
  EXPECT_EQ(error_of(office().send(letter("beads/crew/max"), caller("nux"))).code, Code::not_found);
  EXPECT_EQ(inbox("beads/crew/max").size(), 1u);
  register_agent("beads/crew/max");
  send("nux", "beads/crew/max");
  EXPECT_EQ(inbox("max").size(), 2u) << "back again, it has its mailbox";
  EXPECT_EQ(error_of(registry().remove_agent("mayor/")).code, Code::refused);
}

TEST_P(NamesTest, ASessionIsTheLatestAgentsOnly) {
  must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:%5"}, {}));
  must(registry().add_agent({.address = "beads/polecats/nux", .session = "tmux:%5"}, {}));
  EXPECT_EQ(must(registry().agent("beads/crew/max")).session, "");
  EXPECT_EQ(must(registry().agent("beads/polecats/nux")).session, "tmux:%5");
}

TEST_P(NamesTest, ASessionIsWhereItWasRegistered) {
  const auto agent =
      must(registry().add_agent({.address = "beads/crew/max", .session = "tmux:%5", .host = "mill"}, {}));
  const auto presence = must(read_value(town().store, [&](Ledger& ledger) { return ledger.presence(agent.id); }));
  ASSERT_TRUE(presence.has_value());
  EXPECT_EQ(presence->host, "mill");
  EXPECT_EQ(presence->session, "tmux:%5");
  EXPECT_EQ(presence->state, AgentState::unknown) << "nobody has looked yet";
}

TEST_P(NamesTest, RegisteringAgainChangesOnlyWhatIsGiven) {
  must(registry().add_agent({.address = "zed", .session = "tmux:zed", .description = "mends"}, {}));
  const Agent again = must(registry().add_agent({.address = "zed", .description = "breaks"}, {}));
  EXPECT_EQ(again.session, "tmux:zed");
  EXPECT_EQ(again.description, "breaks");
}

TEST_P(NamesTest, RoleWordsAreNoNamesOfRigsOrAgents) {
  for (const auto* word :
       {"mayor", "deacon", "witness", "refinery", "crew", "polecats", "dogs", "overseer", "user", "hq"}) {
    EXPECT_EQ(error_of(registry().add_rig({.name = word, .path = "/"})).code, Code::usage) << word;
    EXPECT_EQ(error_of(registry().add_agent({.address = cat("beads/crew/", word)}, {})).code, Code::usage) << word;
  }
  for (const auto* name : {"", "a b", "../x", "-x", "a/b", "\x01"})
    EXPECT_EQ(error_of(registry().add_rig({.name = name, .path = "/"})).code, Code::usage) << name;
}

TEST_P(NamesTest, PrefixesOfRigsAreUnique) {
  EXPECT_EQ(must(registry().rig("beads")).prefix, "be");
  EXPECT_EQ(must(registry().add_rig({.name = "bears", .path = "/"})).prefix, "bea");
  EXPECT_EQ(error_of(registry().add_rig({.name = "other", .path = "/", .prefix = "be"})).code, Code::refused);
  EXPECT_EQ(error_of(registry().add_rig({.name = "other", .path = "/", .prefix = "hq"})).code, Code::usage);
  EXPECT_EQ(error_of(registry().add_rig({.name = "other", .path = "/", .prefix = "B-"})).code, Code::usage);
  EXPECT_EQ(error_of(registry().add_rig({.name = "beads", .path = "/"})).code, Code::refused);
}

TEST_P(NamesTest, ARigWithWorkersIsNotRemoved) {
  EXPECT_EQ(error_of(registry().remove_rig("beads")).code, Code::refused);
  EXPECT_EQ(error_of(registry().remove_rig("baeds")).code, Code::not_found);
  EXPECT_NE(error_of(registry().remove_rig("baeds")).hint.find("beads"), std::string::npos);
  must(registry().remove_rig("alpha"));
  EXPECT_EQ(error_of(office().send(letter("alpha/witness"), caller("nux"))).code, Code::not_found);
}

TEST_P(NamesTest, AWorkerNeedsARig) {
  EXPECT_EQ(error_of(registry().add_agent({.address = "nowhere/crew/max"}, {})).code, Code::not_found);
  EXPECT_EQ(error_of(registry().add_agent({.address = "townpost"}, {})).code, Code::refused);
}

}  // namespace
}  // namespace townpost
