// Who an address reaches, as the receipt of a send tells it.
#include <gtest/gtest.h>

#include "cli/expect.h"

namespace townpost {
namespace {

std::vector<std::string> reached(const TestTown& town, const std::string& address) {
  return texts_in(value_at(town.json({"mail", "send", "-m", "", address, "-s", "To " + address}), "recipients"),
                  "address");
}

using Addresses = std::vector<std::string>;

/// Two rigs with workers; a crew member and a polecat share the name max.
TestTown staffed_town() {
  TestTown town;
  town.rigs({"gastown", "beads"});
  town.agents(
      {"gastown/crew/max", "gastown/polecats/max", "gastown/crew/joe", "beads/polecats/nux", "deacon/dogs/fido"});
  return town;
}

// G002, G007, G009
TEST(Address, HasOneSpellingForEveryMailboxOfTheTown) {
  const auto town = staffed_town();
  for (const auto* spelled : {"deacon", "deacon/", "gastown/deacon", "laser/deacon"})
    EXPECT_EQ(reached(town, spelled), Addresses{"deacon/"}) << spelled;
  for (const auto* spelled : {"mayor", "mayor/", "gastown/mayor"})
    EXPECT_EQ(reached(town, spelled), Addresses{"mayor/"}) << spelled;
  for (const auto* spelled : {"overseer", "user"}) EXPECT_EQ(reached(town, spelled), Addresses{"overseer"}) << spelled;
  EXPECT_EQ(reached(town, "deacon/dogs/fido"), Addresses{"deacon/dogs/fido"});
}

TEST(Address, OfTheHumanIsPrintedAsTheTownWantsIt) {
  const TestTown town;
  town.settings("[town]\nname = \"testtown\"\nhuman = \"user\"");
  EXPECT_EQ(reached(town, "overseer"), Addresses{"user"});
  EXPECT_EQ(text_at(town.json({"whoami"}), "address"), "user");
  EXPECT_EQ(inbox_ids(town, "overseer"), inbox_ids(town, "user"));
}

// G012
TEST(Address, KeepsACrewMemberAndAPolecatOfOneNameApart) {
  const auto town = staffed_town();
  const auto to_crew = town.send("overseer", "gastown/crew/max", "For crew");
  const auto to_polecat = town.send("overseer", "gastown/polecats/max", "For polecat");
  EXPECT_EQ(inbox_ids(town, "gastown/crew/max"), Addresses{to_crew});
  EXPECT_EQ(inbox_ids(town, "gastown/polecats/max"), Addresses{to_polecat});
}

TEST(Address, MayBeShortWhereOnlyOneIsMeant) {
  const auto town = staffed_town();
  EXPECT_EQ(reached(town, "gastown/joe"), Addresses{"gastown/crew/joe"});
  EXPECT_EQ(reached(town, "crew/max"), Addresses{"gastown/crew/max"});
  EXPECT_EQ(reached(town, "polecats/max"), Addresses{"gastown/polecats/max"});
  EXPECT_EQ(reached(town, "nux"), Addresses{"beads/polecats/nux"});
}

TEST(Address, ThatIsShortForSeveralIsRefusedNamingThemAll) {
  const auto town = staffed_town();
  for (const auto* spelled : {"gastown/max", "max"}) {
    expect_refused_untouched(town, {"mail", "send", "-m", "", spelled, "-s", "Hi"}, {2, "usage", "gastown/crew/max"});
    expect_refused_untouched(town, {"mail", "send", "-m", "", spelled, "-s", "Hi"},
                             {2, "usage", "gastown/polecats/max"});
  }
  town.agents({"beads/crew/joe"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "crew/joe", "-s", "Hi"},
                           {2, "usage", "beads/crew/joe, gastown/crew/joe"});
}

TEST(Address, OfARigsWitnessAndRefineryExistsWithTheRig) {
  const auto town = staffed_town();
  EXPECT_EQ(reached(town, "beads/witness"), Addresses{"beads/witness"});
  EXPECT_EQ(reached(town, "beads/refinery"), Addresses{"beads/refinery"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "nosuch/witness", "-s", "Hi"},
                           {4, "not_found", "nosuch/witness"});
}

// G039, G040, G042
TEST(Address, WithAStarMatchesOneSegment) {
  const auto town = staffed_town();
  EXPECT_EQ(reached(town, "*/witness"), (Addresses{"beads/witness", "gastown/witness"}));
  EXPECT_EQ(reached(town, "gastown/*"), (Addresses{"gastown/refinery", "gastown/witness"}));
  EXPECT_EQ(reached(town, "gastown/*/*"), (Addresses{"gastown/crew/joe", "gastown/crew/max", "gastown/polecats/max"}));
  EXPECT_EQ(reached(town, "gastown/crew/*"), (Addresses{"gastown/crew/joe", "gastown/crew/max"}));
  EXPECT_EQ(reached(town, "*/*/*"), (Addresses{"beads/polecats/nux", "deacon/dogs/fido", "gastown/crew/joe",
                                               "gastown/crew/max", "gastown/polecats/max"}));
}

TEST(Address, ThatMatchesNobodyIsAnError) {
  const auto town = staffed_town();
  expect_refused_untouched(town, {"mail", "send", "-m", "", "beads/crew/*", "-s", "Hi"},
                           {4, "not_found", "beads/crew/*"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@crew/beads", "-s", "Hi"},
                           {4, "not_found", "@crew/beads"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "*", "-s", "Hi"}, {2, "usage", "*"});
}

// G045
TEST(Address, WithAnAtSignMeansEveryoneOfThatRole) {
  const auto town = staffed_town();
  EXPECT_EQ(reached(town, "@witnesses"), (Addresses{"beads/witness", "gastown/witness"}));
  EXPECT_EQ(reached(town, "@refineries"), (Addresses{"beads/refinery", "gastown/refinery"}));
  EXPECT_EQ(reached(town, "@dogs"), Addresses{"deacon/dogs/fido"});
  EXPECT_EQ(reached(town, "@deacons"), Addresses{"deacon/"});
  EXPECT_EQ(reached(town, "@crew"), (Addresses{"gastown/crew/joe", "gastown/crew/max"}));
  EXPECT_EQ(reached(town, "@polecats/gastown"), Addresses{"gastown/polecats/max"});
  EXPECT_EQ(reached(town, "@crew/gastown"), (Addresses{"gastown/crew/joe", "gastown/crew/max"}));
  EXPECT_EQ(reached(town, "@rig/beads"), (Addresses{"beads/polecats/nux", "beads/refinery", "beads/witness"}));
}

TEST(Address, OfTheHumanAsAPatternReachesTheHuman) {
  const auto town = staffed_town();
  const auto id = town.send("gastown/crew/joe", "@overseer", "Please look");
  EXPECT_EQ(inbox_ids(town, "overseer"), Addresses{id});
}

TEST(Address, OfSeveralLeavesTheSenderOut) {
  const auto town = staffed_town();
  const auto answer = town.json({"mail", "send", "-m", "", "@crew", "-s", "Standup", "--as", "gastown/crew/joe"});
  EXPECT_EQ(texts_in(value_at(answer, "recipients"), "address"), Addresses{"gastown/crew/max"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@dogs", "-s", "Hi", "--as", "deacon/dogs/fido"},
                           {4, "not_found", "@dogs"});
}

TEST(Address, KeepsTheSpellingOfAListInTheMessage) {
  const auto town = staffed_town();
  const auto id = town.send("overseer", "@crew", "Standup", {"--cc", "*/witness"});
  const auto mail = read_as(town, "gastown/crew/max", id);
  EXPECT_EQ(texts_in(value_at(mail, "to")), Addresses{"@crew"});
  EXPECT_EQ(texts_in(value_at(mail, "cc")), Addresses{"*/witness"});
}

// G047
TEST(Address, ThatIsNoPatternIsNotTakenForOne) {
  const auto town = staffed_town();
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@invalid", "-s", "Hi"}, {4, "not_found", "@invalid"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@rig", "-s", "Hi"}, {4, "not_found", "@rig"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@crew/", "-s", "Hi"}, {2, "usage", "@crew/"});
  expect_refused_untouched(town, {"mail", "send", "-m", "", "@", "-s", "Hi"}, {2, "usage", "@"});
}

// G070
TEST(Address, ThatCannotBeOneIsWrongUsage) {
  const auto town = staffed_town();
  for (const std::string& wrong :
       {std::string(), std::string("alice\nbob"), std::string(201, 'a'), std::string("a/b/c/d"), std::string("../etc"),
        std::string("gastown/../x"), std::string("a b"), std::string("al\x1b[31mice"), std::string("ünal"),
        std::string("gastown//max"), std::string("crew"), std::string("tmux:x"),
        std::string("[gastown/crew/max,mayor/]")})
    expect_refused_untouched(town, {"mail", "send", "-m", "", wrong, "-s", "Hi"}, {2, "usage", ""});
  // Behind "--" a dash begins an address, not an option.
  const auto before = town.dump();
  EXPECT_EQ(town.gt({"mail", "send", "-m", "", "-s", "Hi", "--", "-flag"}).exit_code, 2);
  EXPECT_EQ(town.dump(), before);
}

TEST(Address, WithAPrefixMeansThatKindOnly) {
  const auto town = staffed_town();
  EXPECT_EQ(reached(town, "agent:nux"), Addresses{"beads/polecats/nux"});
  for (const auto* absent : {"group:ops", "queue:ops", "channel:ops"})
    expect_refused_untouched(town, {"mail", "send", "-m", "", absent, "-s", "Hi"}, {4, "not_found", "ops"});
}

// G140
TEST(Directory, ListsEveryDeliverableAddressOnceByTypeAndAddress) {
  const auto town = staffed_town();
  const auto listed = town.json({"mail", "directory"});
  const auto addresses = texts_in(listed, "address");
  EXPECT_EQ(addresses, (Addresses{"gastown/crew/joe", "gastown/crew/max", "deacon/", "deacon/dogs/fido", "overseer",
                                  "mayor/", "beads/polecats/nux", "gastown/polecats/max", "beads/refinery",
                                  "gastown/refinery", "beads/witness", "gastown/witness"}));
  auto types = texts_in(listed, "type");
  EXPECT_TRUE(std::is_sorted(types.begin(), types.end()));
  for (const auto& address : addresses) EXPECT_EQ(reached(town, address), Addresses{address});
  const auto text = town.gt({"mail", "directory"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(lines_of(text.out).size(), addresses.size() + 1) << "headings, then a line each:\n" << text.out;
}

}  // namespace
}  // namespace townpost
