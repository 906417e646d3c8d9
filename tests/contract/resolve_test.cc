#include "post/people/resolve.h"

#include "contract/town_fixture.h"

namespace townpost {
namespace {

using Strings = std::vector<std::string>;

class ResolveTest : public TownTest {
 protected:
  Result<Resolved> try_resolve(std::string_view name, Unknown unknown = Unknown::refuse) {
    std::optional<Result<Resolved>> out;
    const auto seen = must(look_for_sessions(town(), {std::string(name)}, caller, "to"));
    const auto ignored = store().write([&](Ledger& ledger) -> Result<> {
      out = resolve(ledger, name, seen, clock().now(), unknown);
      if (!*out) return fail(out->error());
      return {};
    });
    EXPECT_EQ(ignored.has_value(), out->has_value());
    return *out;
  }
  Strings who(std::string_view name) {
    const auto resolved = try_resolve(name);
    if (!resolved) return {cat(name_of(resolved.error()), ": ", resolved.error().message)};
    Strings out;
    for (const auto& agent : resolved->members) out.push_back(agent.address.str());
    return out;
  }
  Error refusal(std::string_view name) { return error_of(try_resolve(name)); }
  Caller caller{must(Address::parse("beads/polecats/nux")), Grade::env};

 private:
  static std::string_view name_of(const Error& error) { return townpost::name(error.code); }
};
ON_EVERY_STORE(ResolveTest);

TEST_P(ResolveTest, OneNameOneMailbox) {
  for (const auto* name : {"beads/crew/max", "beads/max", "crew/max", "max", "agent:max", "agent:crew/max"})
    EXPECT_EQ(who(name), Strings{"beads/crew/max"}) << name;
  for (const auto* name : {"mayor", "mayor/", "beads/mayor"}) EXPECT_EQ(who(name), Strings{"mayor/"}) << name;
  for (const auto* name : {"user", "overseer"}) EXPECT_EQ(who(name), Strings{"overseer"}) << name;
}

TEST_P(ResolveTest, SingletonsOfKnownRigsNeedNoRegistration) {
  EXPECT_EQ(who("alpha/witness"), Strings{"alpha/witness"});
  EXPECT_EQ(who("alpha/refinery"), Strings{"alpha/refinery"});
  EXPECT_EQ(refusal("nowhere/witness").code, Code::not_found);
}

TEST_P(ResolveTest, AnAmbiguousShorthandListsTheCandidates) {
  register_agent("beads/polecats/max");
  for (const auto* name : {"beads/max", "max"}) {
    EXPECT_EQ(refusal(name).code, Code::usage) << name;
    EXPECT_NE(refusal(name).message.find("beads/crew/max, beads/polecats/max"), std::string::npos)
        << refusal(name).message;
  }
  EXPECT_EQ(who("crew/max"), Strings{"beads/crew/max"});
  register_agent("alpha/crew/max");
  EXPECT_EQ(refusal("crew/max").code, Code::usage);
  EXPECT_NE(refusal("crew/max").message.find("alpha/crew/max, beads/crew/max"), std::string::npos);
}

TEST_P(ResolveTest, AnAgentOfThatNameComesBeforeAWorker) {
  register_agent("max");
  EXPECT_EQ(who("max"), Strings{"max"});
}

TEST_P(ResolveTest, WildcardsCoverEverybodyWhoFits) {
  EXPECT_EQ(who("*/witness"), (Strings{"alpha/witness", "beads/witness"}));
  EXPECT_EQ(who("beads/*"), (Strings{"beads/refinery", "beads/witness"}));
  EXPECT_EQ(who("beads/polecats/*"), (Strings{"beads/polecats/nux", "beads/polecats/slit"}));
  EXPECT_EQ(who("*/*/nux"), Strings{"beads/polecats/nux"});
  EXPECT_EQ(refusal("*/crew/nobody").code, Code::not_found);
  EXPECT_EQ(refusal("deacon/dogs/*").code, Code::not_found);
  EXPECT_EQ(refusal("*").code, Code::usage);
}

TEST_P(ResolveTest, PatternsCoverTheRegistry) {
  EXPECT_EQ(who("@witnesses"), (Strings{"alpha/witness", "beads/witness"}));
  EXPECT_EQ(who("@crew"), Strings{"beads/crew/max"});
  EXPECT_EQ(who("@crew/beads"), Strings{"beads/crew/max"});
  EXPECT_EQ(who("@rig/alpha"), (Strings{"alpha/refinery", "alpha/witness"}));
  EXPECT_EQ(who("@overseer"), Strings{"overseer"});
  EXPECT_EQ(refusal("@dogs").code, Code::not_found) << "no match is an error";
  EXPECT_EQ(refusal("@crew/alpha").code, Code::not_found);
  EXPECT_EQ(refusal("@no-such-group").code, Code::not_found);
}

TEST_P(ResolveTest, TheWholeTownIsEveryAgentOnce) {
  const Strings everybody = who("@town");
  const std::set<std::string> once(everybody.begin(), everybody.end());
  EXPECT_EQ(everybody.size(), once.size());
  EXPECT_EQ(once.count("townpost"), 0u);
  EXPECT_EQ(once.count("beads/crew/max") + once.count("mayor/") + once.count("alpha/witness"), 3u);
}

TEST_P(ResolveTest, RemovedAgentsAreInNoList) {
  must(registry().remove_agent("nux"));
  EXPECT_EQ(who("@polecats"), Strings{"beads/polecats/slit"});
  EXPECT_EQ(refusal("nux").code, Code::not_found);
}

TEST_P(ResolveTest, ALiveSessionIsRegisteredByItsFirstMail) {
  machine().live = {"painter"};
  EXPECT_EQ(who("painter"), Strings{"painter"});
  EXPECT_EQ(must(registry().agent("painter")).session, "tmux:painter");
  EXPECT_EQ(refusal("paint").code, Code::not_found) << "of exactly that name";
}

TEST_P(ResolveTest, ASessionThatOnlyHasAShellIsRegisteredByAPersonAlone) {
  machine().shells = {"build"};
  EXPECT_EQ(refusal("build").code, Code::refused);
  EXPECT_NE(refusal("build").message.find("bash"), std::string::npos) << refusal("build").message;
  EXPECT_EQ(error_of(registry().agent("build")).code, Code::not_found);
  EXPECT_TRUE(try_resolve("build", Unknown::create).has_value()) << "asked for by name";
  EXPECT_EQ(must(registry().agent("build")).session, "") << "but not with that session";
  machine().shells = {"desk"};
  caller = {};
  EXPECT_EQ(who("desk"), Strings{"desk"});
  EXPECT_EQ(must(registry().agent("desk")).session, "tmux:desk");
}

TEST_P(ResolveTest, NobodyAsksForSessionsWhereTheTownKnowsTheName) {
  for (const auto* name : {"nux", "beads/polecats/nux", "@polecats", "agent:nobody", "overseer"}) {
    const auto resolved = try_resolve(name);
    EXPECT_EQ(machine().asked, 0) << name;
  }
}

TEST_P(ResolveTest, AnUnknownNameSuggestsTheNearestKnownOnes) {
  EXPECT_EQ(refusal("beads/polecats/nuks").code, Code::not_found);
  EXPECT_NE(refusal("beads/polecats/nuks").hint.find("beads/polecats/nux"), std::string::npos);
  EXPECT_NE(refusal("slti").hint.find("beads/polecats/slit"), std::string::npos) << refusal("slti").hint;
  EXPECT_EQ(refusal("zzzzzzzzzzzz").next.value_or(NextCall()).op, "mail.directory");
}

TEST_P(ResolveTest, CreatingNeedsAWholeAddressAndAKnownRig) {
  EXPECT_TRUE(try_resolve("deacon/dogs/fido", Unknown::create).has_value());
  EXPECT_TRUE(try_resolve("alpha/crew/new", Unknown::create).has_value());
  EXPECT_EQ(error_of(try_resolve("nowhere/crew/new", Unknown::create)).code, Code::not_found);
  EXPECT_EQ(error_of(try_resolve("alpha/other", Unknown::create)).code, Code::usage) << "polecat or crew?";
  EXPECT_EQ(error_of(try_resolve("@nobody", Unknown::create)).code, Code::not_found);
}

TEST_P(ResolveTest, GroupsQueuesAndChannelsAreNamedWhenMissing) {
  for (const auto* name : {"group:ops", "queue:ops", "channel:ops"})
    EXPECT_EQ(refusal(name).code, Code::not_found) << name;
}

}  // namespace
}  // namespace townpost
