#include "delivery/tmux/session_name.h"

#include <gtest/gtest.h>

namespace townpost {
namespace {

using Names = std::vector<std::string>;

Address at(std::string_view text) { return Address::parse(text).value(); }

const Names kLive = {"hq-mayor", "gt-witness", "bd-witness", "gt-alpha", "gt-beta", "gt-crew-max"};

TEST(SessionName, FollowsTheOwnersPlaceInTheTown) {  // G224
  EXPECT_EQ(session_name(at("mayor/"), ""), "hq-mayor");
  EXPECT_EQ(session_name(at("deacon/"), ""), "hq-deacon");
  EXPECT_EQ(session_name(at("deacon/dogs/rex"), ""), "hq-dog-rex");
  EXPECT_EQ(session_name(at("gastown/witness"), "gt"), "gt-witness");
  EXPECT_EQ(session_name(at("gastown/refinery"), "gt"), "gt-refinery");
  EXPECT_EQ(session_name(at("gastown/crew/max"), "gt"), "gt-crew-max");
  EXPECT_EQ(session_name(at("gastown/polecats/alpha"), "gt"), "gt-alpha");
  EXPECT_EQ(session_name(at("coder"), ""), "coder");
}

TEST(SessionName, IsSpelledAsTmuxSpellsIt) { EXPECT_EQ(session_name(at("coder.v2"), ""), "coder_v2"); }

TEST(SessionName, PeopleAndTheTownHaveNone) {
  EXPECT_EQ(live_session(Address::human(), "gt", {"overseer", "x-overseer"}), std::nullopt);
  EXPECT_EQ(live_session(Address::system(), "gt", {"townpost", "x-townpost"}), std::nullopt);
}

TEST(LiveSession, IsTheOneOfExactlyThatName) {
  EXPECT_EQ(live_session(at("mayor/"), "", kLive), "hq-mayor");
  EXPECT_EQ(live_session(at("gastown/witness"), "gt", kLive), "gt-witness");
  EXPECT_EQ(live_session(at("beads/witness"), "bd", kLive), "bd-witness");
  EXPECT_EQ(live_session(at("gastown/crew/max"), "gt", kLive), "gt-crew-max");
  EXPECT_EQ(live_session(at("gastown/polecats/alpha"), "gt", kLive), "gt-alpha");
  EXPECT_EQ(live_session(at("invalid"), "", kLive), std::nullopt);
}

TEST(LiveSession, IsElseTheOnlyOneThatEndsInTheName) {
  EXPECT_EQ(live_session(at("coder"), "", {"team-coder", "team-tester"}), "team-coder");
  EXPECT_EQ(live_session(at("mayor/"), "", {"north-mayor"}), "north-mayor");
  EXPECT_EQ(live_session(at("gastown/crew/max"), "", {"gt-crew-max"}), "gt-crew-max");
}

TEST(LiveSession, PrefersTheExactNameToAnyEnding) {
  EXPECT_EQ(live_session(at("coder"), "", {"team-coder", "coder", "other-coder"}), "coder");
}

TEST(LiveSession, IsNoneWhenTwoEndInTheName) {
  EXPECT_EQ(live_session(at("coder"), "", {"a-coder", "b-coder"}), std::nullopt);
}

TEST(LiveSession, IsNeverFoundByTheBeginningOrMiddleOfAName) {
  EXPECT_EQ(live_session(at("coder"), "", {"coder-2", "decoder", "coderx"}), std::nullopt);
}

TEST(LiveSession, IsNeverAnotherRigsWorkerOfTheSameName) {
  EXPECT_EQ(live_session(at("gastown/polecats/alpha"), "gt", {"bd-alpha"}), std::nullopt);
  EXPECT_EQ(live_session(at("gastown/polecats/alpha"), "gt", {"north-gt-alpha"}), "north-gt-alpha");
}

TEST(LiveSession, IsNoneForAWorkerWhomTwoRigsCouldHave) {
  EXPECT_EQ(live_session(at("gastown/polecats/max"), "", {"gt-max", "bd-max"}), std::nullopt);
}

}  // namespace
}  // namespace townpost
