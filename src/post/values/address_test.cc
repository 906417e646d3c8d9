#include "post/values/address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

using Kind = Destination::Kind;
using Strings = std::vector<std::string>;

std::string text_of(std::string_view written) {
  const auto parsed = Destination::parse(written);
  return parsed ? parsed->text : cat("refused: ", parsed.error().message);
}

Kind kind_of(std::string_view written) {
  const auto parsed = Destination::parse(written);
  EXPECT_TRUE(parsed.has_value()) << written;
  return parsed ? parsed->kind : Kind::bare_name;
}

bool refused(std::string_view written) {
  const auto parsed = Destination::parse(written);
  if (parsed) return false;
  EXPECT_EQ(parsed.error().code, Code::usage) << written;
  EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos) << "one line";
  return true;
}

Address at(std::string_view text) { return *Address::parse(text); }

TEST(Address, TownSingletonsHaveOneSpelling) {
  for (const auto* written : {"mayor", "mayor/", "gastown/mayor", "laser/mayor"}) EXPECT_EQ(text_of(written), "mayor/");
  for (const auto* written : {"deacon", "deacon/", "gastown/deacon", "laser/deacon"})
    EXPECT_EQ(text_of(written), "deacon/");
  EXPECT_EQ(at("mayor").role(), Role::mayor);
  EXPECT_EQ(at("laser/deacon").role(), Role::deacon);
  EXPECT_EQ(at("laser/deacon").rig(), "");
}

TEST(Address, TheHumanHasTwoNamesAndOneMailbox) {
  EXPECT_EQ(at("overseer").str(), "overseer");
  EXPECT_EQ(at("user"), at("overseer"));
  EXPECT_EQ(at("user"), Address::human());
  EXPECT_EQ(at("user").role(), Role::human);
}

TEST(Address, RigSingletonsBelongToTheirRig) {
  EXPECT_EQ(at("gastown/witness").str(), "gastown/witness");
  EXPECT_EQ(at("gastown/witness").role(), Role::witness);
  EXPECT_EQ(at("gastown/refinery").role(), Role::refinery);
  EXPECT_EQ(at("gastown/refinery").rig(), "gastown");
  EXPECT_EQ(kind_of("gastown/witness"), Kind::mailbox);
}

TEST(Address, WorkersOfOneNameAreDistinctMailboxes) {
  const Address crew = at("gastown/crew/max");
  const Address polecat = at("gastown/polecats/max");
  EXPECT_NE(crew, polecat);
  EXPECT_EQ(crew.role(), Role::crew);
  EXPECT_EQ(polecat.role(), Role::polecat);
  EXPECT_EQ(crew.name(), "max");
  EXPECT_EQ(polecat.rig(), "gastown");
}

TEST(Address, ADogLivesWithTheDeacon) {
  EXPECT_EQ(at("deacon/dogs/fido").str(), "deacon/dogs/fido");
  EXPECT_EQ(at("deacon/dogs/fido").role(), Role::dog);
  EXPECT_EQ(at("deacon/dogs/fido").name(), "fido");
  EXPECT_EQ(at("deacon/dogs/fido").rig(), "");
}

TEST(Address, ABareNameIsASession) {
  EXPECT_EQ(at("coder").role(), Role::session);
  EXPECT_EQ(at("coder").name(), "coder");
  EXPECT_EQ(kind_of("coder"), Kind::bare_name);
}

TEST(Address, AShorthandIsNoAddressUntilSomebodyIsLookedUp) {
  EXPECT_EQ(kind_of("gastown/max"), Kind::rig_worker);
  EXPECT_EQ(kind_of("crew/max"), Kind::role_worker);
  EXPECT_EQ(kind_of("polecats/max"), Kind::role_worker);
  for (const auto* shorthand : {"gastown/max", "crew/max", "polecats/max"}) {
    const auto parsed = Address::parse(shorthand);
    ASSERT_FALSE(parsed.has_value()) << shorthand;
    EXPECT_EQ(parsed.error().code, Code::usage);
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

TEST(Address, ListsAreNotTheAddressOfOneMailbox) {
  for (const auto* list : {"@crew", "@town", "*/witness", "group:ops", "queue:work", "channel:news"})
    EXPECT_FALSE(Address::parse(list).has_value()) << list;
}

TEST(Destination, ExplicitKindsAreKept) {
  EXPECT_EQ(kind_of("group:ops"), Kind::group);
  EXPECT_EQ(kind_of("queue:ops"), Kind::queue);
  EXPECT_EQ(kind_of("channel:ops"), Kind::channel);
  EXPECT_EQ(text_of("queue:ops"), "queue:ops");
  const auto agent = Destination::parse("agent:list");
  ASSERT_TRUE(agent.has_value());
  EXPECT_TRUE(agent->agents_only);
  EXPECT_EQ(agent->kind, Kind::bare_name);
  EXPECT_EQ(agent->text, "agent:list");
  EXPECT_EQ(text_of("agent:mayor"), "mayor/");
}

TEST(Destination, NamesOfGroupsQueuesAndChannelsAreStrict) {
  for (const auto* name : {"", " ops", "ALL", "ops.team", "ops/team", "-ops", "_ops", "öps", "ops\n"})
    EXPECT_TRUE(refused(cat("group:", name))) << name;
  EXPECT_TRUE(refused("group:" + std::string(65, 'a')));
  EXPECT_FALSE(refused("group:" + std::string(64, 'a')));
  EXPECT_FALSE(refused("channel:0-ops_2"));
  EXPECT_TRUE(refused("team:ops"));
  EXPECT_TRUE(refused(":ops"));
}

TEST(Destination, PatternsAreThoseOfTheRegistryOrAGroupsName) {
  for (const auto* pattern : {"@town", "@crew", "@polecats", "@witnesses", "@refineries", "@dogs", "@deacons",
                              "@overseer", "@rig/gastown", "@crew/gastown", "@polecats/gastown"}) {
    EXPECT_EQ(kind_of(pattern), Kind::pattern) << pattern;
    EXPECT_EQ(text_of(pattern), pattern);
    EXPECT_TRUE(is_registry_pattern(Destination::parse(pattern)->segments)) << pattern;
  }
  EXPECT_EQ(kind_of("@ops-team"), Kind::pattern);
  for (const auto* group : {"@ops-team", "@invalid", "@rig"})
    EXPECT_FALSE(is_registry_pattern(Destination::parse(group)->segments)) << group;
  for (const auto* wrong : {"@", "@crew/", "@rig/", "@/crew", "@Ops", "@crew/a/b", "@witnesses/gastown", "@@crew",
                            "@rig/crew", "@rig/*", "agent:@crew"})
    EXPECT_TRUE(refused(wrong)) << wrong;
}

TEST(Destination, ALoneStarIsForClaimersOnly) {
  EXPECT_TRUE(refused("*"));
  EXPECT_TRUE(refused("*/"));
  EXPECT_EQ(kind_of("*/witness"), Kind::wildcard);
  EXPECT_EQ(kind_of("gastown/*"), Kind::wildcard);
  EXPECT_EQ(kind_of("gastown/crew/*"), Kind::wildcard);
  EXPECT_TRUE(refused("gastown/m*x"));
  EXPECT_TRUE(refused("**/witness"));
  EXPECT_TRUE(refused("*/*/*/*"));
}

TEST(Destination, WhatIsNoAddressIsRefused) {
  const std::string nul("alice\0bob", 9);
  for (const std::string& wrong : {std::string(),
                                   nul,
                                   std::string("alice\nbob"),
                                   std::string("\x1b[31mred"),
                                   std::string("-flag"),
                                   std::string("-"),
                                   std::string("/"),
                                   std::string("//"),
                                   std::string("."),
                                   std::string(".."),
                                   std::string("gastown/.."),
                                   std::string("../witness"),
                                   std::string("gastown/../max"),
                                   std::string("a b"),
                                   std::string(" mayor"),
                                   std::string("mayor "),
                                   std::string("gastown/crew/max/"),
                                   std::string("gastown//max"),
                                   std::string("a/b/c/d"),
                                   std::string("/witness"),
                                   std::string("mayor//"),
                                   std::string("naïve"),
                                   std::string("gastown/crew/mayor"),
                                   std::string("crew"),
                                   std::string("hq"),
                                   std::string("dogs/fido"),
                                   std::string("gastown/hq"),
                                   std::string("gastown/crew"),
                                   std::string("crew/witness"),
                                   std::string("a/dogs/b"),
                                   std::string("\xff\xfe"),
                                   std::string(201, 'a'),
                                   std::string(65, 'a'),
                                   std::string("gastown/") + nul,
                                   std::string("a;b"),
                                   std::string("$(id)"),
                                   std::string("a\\b"),
                                   std::string("agent:"),
                                   std::string("agent:-x")})
    EXPECT_TRUE(refused(wrong)) << "\"" << for_terminal(wrong) << "\"";
}

TEST(Destination, SegmentsOfSixtyFourCharactersAreTheLongest) {
  const std::string longest(64, 'x');
  EXPECT_EQ(text_of(cat(longest, "/crew/", longest)), cat(longest, "/crew/", longest));
  EXPECT_TRUE(refused(cat(longest, "x/crew/max")));
}

TEST(Destination, AnErrorSaysWhatAddressesLookLike) {
  const auto parsed = Destination::parse("a//b");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_NE(parsed.error().hint.find("<rig>/crew/<name>"), std::string::npos);
}

/// Text that is near the grammar: one to three segments, sometimes a prefix, sometimes a slash too many.
rc::Gen<std::string> near_addresses() {
  const auto before = rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::just(std::string())},
       {2, rc::gen::element<std::string>("@", "agent:", "group:", "queue:", "channel:")},
       {1, rc::gen::element<std::string>("/", "-", ":", " ", "agent:@", "x:")}});
  const auto segment = rc::gen::element<std::string>("mayor", "deacon", "crew", "polecats", "dogs", "witness",
                                                     "witnesses", "refinery", "overseer", "user", "townpost", "max",
                                                     "beads", "rig", "town", "*", "A.b-c_D", "hq", "ops");
  const auto after = rc::gen::weightedElement<std::string>({{6, ""}, {1, "/"}, {1, "*"}, {1, ".."}});
  return rc::gen::map(rc::gen::tuple(before, rc::gen::container<Strings>(segment), after), [](const auto& parts) {
    auto segments = std::get<1>(parts);
    if (segments.size() > 3) segments.resize(segments.size() % 3 + 1);
    return cat(std::get<0>(parts), join(segments, "/"), std::get<2>(parts));
  });
}

RC_GTEST_PROP(Destination, NormalisingTwiceIsNormalisingOnce, ()) {
  const auto written = *near_addresses();
  const auto parsed = Destination::parse(written);
  if (!parsed) return;
  const auto again = Destination::parse(parsed->text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->text == parsed->text);
  RC_ASSERT(again->kind == parsed->kind);
  RC_ASSERT(again->segments == parsed->segments);
}

RC_GTEST_PROP(Destination, AnyBytesAreAnAddressOrAUsageError, (const std::string& bytes)) {
  const auto parsed = Destination::parse(bytes);
  if (!parsed) RC_ASSERT(parsed.error().code == Code::usage);
  if (!parsed) RC_ASSERT(is_utf8(parsed.error().message));
}

RC_GTEST_PROP(Address, WhatIsParsedIsParsedAgainToTheSame, ()) {
  const auto parsed = Address::parse(*near_addresses());
  if (!parsed) return;
  const auto again = Address::parse(parsed->str());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == *parsed);
  RC_ASSERT(again->role() == parsed->role());
  RC_ASSERT(again->rig() == parsed->rig());
  RC_ASSERT(again->name() == parsed->name());
}

bool matched(const Strings& pattern, std::string_view address) { return matches_wildcard(pattern, at(address)); }

TEST(Wildcard, AStarIsExactlyOneSegment) {
  EXPECT_TRUE(matched({"*", "witness"}, "gastown/witness"));
  EXPECT_TRUE(matched({"*", "witness"}, "beads/witness"));
  EXPECT_FALSE(matched({"*", "witness"}, "gastown/refinery"));
  EXPECT_TRUE(matched({"gastown", "*"}, "gastown/refinery"));
  EXPECT_FALSE(matched({"gastown", "*"}, "gastown/crew/max"));
  EXPECT_FALSE(matched({"gastown", "*"}, "beads/refinery"));
  EXPECT_TRUE(matched({"gastown", "crew", "*"}, "gastown/crew/max"));
  EXPECT_FALSE(matched({"gastown", "crew", "*"}, "gastown/polecats/max"));
  EXPECT_TRUE(matched({"gastown", "*", "*"}, "gastown/crew/max"));
  EXPECT_TRUE(matched({"*", "*", "*"}, "gastown/crew/max"));
  EXPECT_FALSE(matched({"*", "*"}, "mayor/")) << "the slash of a singleton begins no segment";
  EXPECT_FALSE(matched({"*", "*"}, "coder"));
}

TEST(Pattern, CoversARoleOrARig) {
  const Strings everybody = {"mayor/",        "deacon/",          "overseer",       "townpost",
                             "beads/witness", "beads/refinery",   "beads/crew/max", "beads/polecats/nux",
                             "coder",         "deacon/dogs/fido", "alpha/witness",  "alpha/crew/slit"};
  const auto covered = [&](const Strings& pattern) {
    Strings out;
    for (const auto& address : everybody)
      if (matches_pattern(pattern, at(address))) out.push_back(address);
    return out;
  };
  EXPECT_EQ(covered({"witnesses"}), (Strings{"beads/witness", "alpha/witness"}));
  EXPECT_EQ(covered({"refineries"}), Strings{"beads/refinery"});
  EXPECT_EQ(covered({"dogs"}), Strings{"deacon/dogs/fido"});
  EXPECT_EQ(covered({"deacons"}), Strings{"deacon/"});
  EXPECT_EQ(covered({"overseer"}), Strings{"overseer"});
  EXPECT_EQ(covered({"crew"}), (Strings{"beads/crew/max", "alpha/crew/slit"}));
  EXPECT_EQ(covered({"crew", "alpha"}), Strings{"alpha/crew/slit"});
  EXPECT_EQ(covered({"polecats"}), Strings{"beads/polecats/nux"});
  EXPECT_EQ(covered({"polecats", "alpha"}), Strings{});
  EXPECT_EQ(covered({"rig", "alpha"}), (Strings{"alpha/witness", "alpha/crew/slit"}));
  EXPECT_EQ(covered({"town"}).size(), everybody.size() - 2) << "all but the human and the town's own voice";
  EXPECT_EQ(covered({"opsteam"}), Strings{}) << "a group's name covers nobody by itself";
}

}  // namespace
}  // namespace townpost
