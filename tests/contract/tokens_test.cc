// Who is let in by a token, for whom it speaks, and when that ends.
#include "post/people/tokens.h"

#include "base/secret.h"
#include "contract/town_fixture.h"
#include "post/people/identity.h"

namespace townpost {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Strings = std::vector<std::string>;

class TokensTest : public TownTest {
 protected:
  Tokens tokens() { return Tokens(town()); }
  Tokens::Made make(const Tokens::NewToken& wanted) { return must(tokens().create(wanted, caller("overseer"))); }
  Tokens::Made for_agent(const std::string& who) { return make({.role = TokenRole::agent, .agent = who}); }
  Tokens::Made page() {
    return must(tokens().redeem_open_code(must(tokens().make_open_code(caller("overseer"))).text));
  }
  Result<TokenHolder> held(const std::string& text) {
    return read_value(store(), [&](Ledger& ledger) { return who_holds(ledger, text, clock().now()); });
  }
  Result<TokenHolder> browsed(const std::string& text) {
    return read_value(store(), [&](Ledger& ledger) { return who_browses(ledger, text, clock().now()); });
  }
  Strings listed(Tokens::Which which = Tokens::Which::live, const std::string& who = "overseer") {
    Strings out;
    for (const auto& one : must(tokens().list(which, caller(who)))) out.push_back(one.token.id);
    return out;
  }
  Result<Identified> identified(const TokenHolder& holder, const std::optional<std::string>& as = {}) {
    IdentityInputs inputs;
    inputs.token = holder;
    inputs.flag = as;
    return identify(inputs, town(), ProcessNotes(town().folder / "notes" / "session"));
  }
  /// "beads/crew/max token", or "forbidden".
  std::string who(const TokenHolder& holder, const std::optional<std::string>& as = {}) {
    const auto found = identified(holder, as);
    if (!found) return std::string(name(found.error().code));
    return cat(found->caller.address.str(), " ", name(found->caller.grade));
  }
  /// What the log tells people of tokens, and whom of others.
  Strings told(std::optional<AgentId> reader = {}) {
    Strings out;
    const auto page = reading(store(), [&](Ledger& ledger) {
      return must(ledger.events_after({.after = 0, .reader = reader, .limit = 1000}));
    });
    for (const auto& event : page.events)
      if (event.kind == EventKind::token_made || event.kind == EventKind::token_revoked)
        out.push_back(cat(name(event.kind), " ", event.detail));
    return out;
  }
};
ON_EVERY_STORE(TokensTest);

TEST_P(TokensTest, ATokenLetsInWhomItIsFor) {
  const auto made = for_agent("max");
  EXPECT_TRUE(made.text.starts_with(cat("gt_", made.token.id, "_"))) << made.text;
  EXPECT_EQ(made.agent, "beads/crew/max");
  const auto holder = must(held(made.text));
  EXPECT_EQ(holder.token, made.token.id);
  EXPECT_EQ(holder.role, TokenRole::agent);
  EXPECT_EQ(holder.agent, id_of("max"));
  EXPECT_EQ(must(held(make({.role = TokenRole::rig, .rig = "beads"}).text)).rig, "beads");
  EXPECT_EQ(must(held(make({.role = TokenRole::town}).text)).role, TokenRole::town);
  EXPECT_EQ(must(held(make({.role = TokenRole::human}).text)).role, TokenRole::human);
}

TEST_P(TokensTest, OfTheSecretOnlyTheHashIsKept) {
  const auto made = for_agent("max");
  const auto kept = reading(store(), [&](Ledger& ledger) { return must(ledger.find_token(made.token.id)).value(); });
  EXPECT_EQ(kept.hash, hash_of_secret(made.text));
  for (const auto& text : {kept.hash, kept.note, kept.id, kept.created_by, kept.rig})
    EXPECT_EQ(text.find(made.text.substr(made.token.id.size() + 4)), std::string::npos) << text;
}

TEST_P(TokensTest, WhoeverIsNotLetInIsToldTheSame) {
  const auto live = for_agent("max");
  auto revoked = for_agent("max");
  must(tokens().revoke(revoked.token.id));
  const auto expired = make({.role = TokenRole::human, .expires_at = clock().now() + minutes(1)});
  clock().advance(minutes(1));
  const auto code = must(tokens().make_open_code(caller("overseer")));
  const auto browser = page();
  auto changed = live.text;
  changed.back() = changed.back() == 'A' ? 'E' : 'A';
  const auto unknown = cat("gt_tok-80000000_", new_secret());
  Strings wrong = {"",
                   "gt_",
                   "gt_tok-",
                   live.token.id,
                   live.token.hash,
                   unknown,
                   changed,
                   revoked.text,
                   expired.text,
                   code.text,
                   browser.text,
                   live.text + "A",
                   live.text.substr(0, live.text.size() - 1),
                   "Bearer " + live.text,
                   std::string(1 << 20, 'a'),
                   live.text + std::string(1000, 'a'),
                   std::string("gt_tok-1\0_x", 11),
                   "gt_' OR 1=1 --_x"};
  for (const auto& text : wrong) {
    const auto found = held(text);
    ASSERT_FALSE(found.has_value()) << text.substr(0, 80);
    EXPECT_EQ(found.error().code, Code::forbidden);
    EXPECT_EQ(found.error(), error_of(held(unknown))) << text.substr(0, 80);
    EXPECT_EQ(found.error().message.find(live.token.id), std::string::npos);
  }
  EXPECT_TRUE(held(live.text).has_value());
  EXPECT_FALSE(browsed(live.text).has_value());
  EXPECT_FALSE(browsed(code.text).has_value());
  EXPECT_TRUE(browsed(browser.text).has_value());
}

TEST_P(TokensTest, OnlyAPersonWhoIsHereMakesOne) {
  const auto by = [&](const Caller& who) { return tokens().create({.role = TokenRole::agent, .agent = "max"}, who); };
  EXPECT_EQ(error_of(by(caller("max"))).code, Code::forbidden);
  EXPECT_EQ(error_of(by(caller("mayor/"))).code, Code::forbidden);
  EXPECT_EQ(error_of(by({Address::human(), Grade::token})).code, Code::forbidden);
  EXPECT_EQ(error_of(tokens().make_open_code(caller("mayor/"))).code, Code::forbidden);
  EXPECT_EQ(error_of(tokens().make_open_code({Address::human(), Grade::token})).code, Code::forbidden);
  EXPECT_TRUE(by({Address::human(), Grade::flag}).has_value());
}

TEST_P(TokensTest, WhomItIsForMustBeThere) {
  const auto wrong = [&](const Tokens::NewToken& wanted) {
    return error_of(tokens().create(wanted, caller("overseer")));
  };
  EXPECT_EQ(wrong({.role = TokenRole::agent, .agent = "nobody"}).code, Code::not_found);
  EXPECT_EQ(wrong({.role = TokenRole::agent, .agent = "nobody"}).argument, "agent");
  EXPECT_EQ(wrong({.role = TokenRole::agent, .agent = "overseer"}).code, Code::usage);
  EXPECT_EQ(wrong({.role = TokenRole::rig, .rig = "nowhere"}).argument, "rig");
  EXPECT_EQ(wrong({.role = TokenRole::human, .expires_at = clock().now()}).argument, "expires");
  EXPECT_EQ(wrong({.role = TokenRole::human, .note = std::string(1000, 'x')}).argument, "note");
  EXPECT_EQ(for_agent("beads/witness").agent, "beads/witness") << "a singleton that nobody has written to";
  EXPECT_EQ(listed().size(), 1u);
}

TEST_P(TokensTest, ItIsOverWhenItIsRevoked) {
  const auto made = for_agent("max");
  must(tokens().revoke(made.token.id));
  const auto at = clock().now();
  clock().advance(minutes(1));
  EXPECT_EQ(must(tokens().revoke(made.token.id)).revoked_at, at) << "once more is the same";
  EXPECT_FALSE(held(made.text).has_value());
  EXPECT_EQ(listed(), Strings{});
  EXPECT_EQ(listed(Tokens::Which::all), Strings{made.token.id});
  EXPECT_EQ(error_of(tokens().revoke("tok-1")).code, Code::not_found);
}

TEST_P(TokensTest, WhatIsNoIdIsNotRepeated) {
  const auto made = for_agent("max");
  const auto error = error_of(tokens().revoke(made.text));
  EXPECT_EQ(error.code, Code::not_found);
  EXPECT_EQ(cat(error.message, error.hint).find(made.text), std::string::npos);
}

TEST_P(TokensTest, ItEndsWithTheAgentAndDoesNotComeBack) {
  const auto made = for_agent("nux");
  must(registry().remove_agent("nux"));
  EXPECT_FALSE(held(made.text).has_value());
  register_agent("beads/polecats/nux");
  EXPECT_FALSE(held(made.text).has_value());
  const auto rig = make({.role = TokenRole::rig, .rig = "alpha"});
  must(registry().remove_rig("alpha"));
  EXPECT_FALSE(held(rig.text).has_value());
  must(registry().add_rig({.name = "alpha", .path = "/src/alpha"}));
  EXPECT_FALSE(held(rig.text).has_value());
}

TEST_P(TokensTest, ItGoesAlongWhenTheAgentIsRenamed) {
  const auto made = for_agent("nux");
  must(registry().alias("beads/polecats/nux", "beads/polecats/toast"));
  EXPECT_EQ(who(must(held(made.text))), "beads/polecats/toast token");
}

TEST_P(TokensTest, PeopleFollowThatTokensComeAndGoAndNobodyElse) {
  const auto made = for_agent("max");
  must(tokens().revoke(made.token.id));
  must(tokens().revoke(made.token.id));
  const auto opened = page();
  const auto id = made.token.id;
  EXPECT_EQ(told(), (Strings{"token made " + id, "token revoked " + id, "token made " + opened.token.id}));
  EXPECT_EQ(told(id_of("max")), Strings{});
}

TEST_P(TokensTest, AnAgentSeesItsOwn) {
  const auto own = for_agent("max");
  clock().advance(seconds(1));
  const auto other = for_agent("nux");
  EXPECT_EQ(listed(Tokens::Which::live, "max"), Strings{own.token.id});
  EXPECT_EQ(listed(Tokens::Which::live, "slit"), Strings{});
  EXPECT_EQ(listed(), (Strings{own.token.id, other.token.id}));
}

TEST_P(TokensTest, ThatItIsInUseIsNotedOnceAMinute) {
  const auto made = for_agent("max");
  const auto used = [&] {
    return must(tokens().list(Tokens::Which::all, caller("overseer"))).at(0).token.last_used_at;
  };
  const auto use = [&] { must(tokens().note_use(must(held(made.text)))); };
  EXPECT_EQ(used(), std::nullopt);
  use();
  const auto first = clock().now();
  EXPECT_EQ(used(), first);
  clock().advance(seconds(30));
  EXPECT_FALSE(must(held(made.text)).use_is_to_be_noted);
  use();
  EXPECT_EQ(used(), first);
  clock().advance(seconds(30));
  use();
  EXPECT_EQ(used(), clock().now());
}

// ---- links and pages ------------------------------------------------------------------------------------------------

TEST_P(TokensTest, ALinkOpensOnePage) {
  const auto code = must(tokens().make_open_code(caller("overseer")));
  EXPECT_EQ(code.token.expires_at, clock().now() + kCodeLife);
  const auto opened = must(tokens().redeem_open_code(code.text));
  EXPECT_EQ(opened.token.expires_at, clock().now() + kPageLife);
  const auto holder = must(browsed(opened.text));
  EXPECT_EQ(holder.role, TokenRole::human);
  EXPECT_EQ(holder.expires_at, opened.token.expires_at);
  EXPECT_EQ(who(holder), "overseer token");
  const auto again = error_of(tokens().redeem_open_code(code.text));
  EXPECT_EQ(again.code, Code::forbidden);
  EXPECT_EQ(again, error_of(tokens().redeem_open_code("nonsense")));
  EXPECT_EQ(listed(), Strings{opened.token.id}) << "a page is listed as tokens are, a code is not";
  must(tokens().revoke(opened.token.id));
  EXPECT_FALSE(browsed(opened.text).has_value());
}

TEST_P(TokensTest, ALinkIsTooOldAfterAMinuteAndAPageAfterAMonth) {
  const auto code = must(tokens().make_open_code(caller("overseer")));
  clock().advance(kCodeLife);
  EXPECT_EQ(error_of(tokens().redeem_open_code(code.text)).code, Code::forbidden);
  const auto opened = page();
  clock().advance(kPageLife - seconds(1));
  EXPECT_TRUE(browsed(opened.text).has_value());
  clock().advance(seconds(1));
  EXPECT_FALSE(browsed(opened.text).has_value());
}

TEST_P(TokensTest, NothingElseOpensAPage) {
  const auto token = make({.role = TokenRole::human});
  const auto opened = page();
  for (const auto& text : {token.text, opened.text, token.token.id, std::string()})
    EXPECT_EQ(error_of(tokens().redeem_open_code(text)).code, Code::forbidden);
  EXPECT_TRUE(held(token.text).has_value()) << "it is not spent by that";
  EXPECT_TRUE(browsed(opened.text).has_value());
}

// ---- for whom it speaks ---------------------------------------------------------------------------------------------

TEST_P(TokensTest, SpeaksForThoseItIsForAndForNobodyElse) {
  register_agent("coder");
  const TokenHolder max{.token = "tok-1", .role = TokenRole::agent, .agent = id_of("max")};
  const TokenHolder rig{.token = "tok-2", .role = TokenRole::rig, .rig = "beads"};
  const TokenHolder any{.token = "tok-3", .role = TokenRole::town};
  const TokenHolder human{.token = "tok-4", .role = TokenRole::human};
  const auto trusted = TokenHolder::trusted_loopback();
  struct Row {
    std::optional<std::string> as;
    std::string max, rig, any, human, trusted;
  };
  const std::string no = "forbidden";
  const std::vector<Row> matrix = {
      {{}, "beads/crew/max token", "usage", "usage", "overseer token", "overseer script"},
      {"max", "beads/crew/max token", "beads/crew/max token", "beads/crew/max token", "beads/crew/max flag", no},
      {"beads/crew/max", "beads/crew/max token", "beads/crew/max token", "beads/crew/max token", "beads/crew/max flag",
       no},
      {"nux", no, "beads/polecats/nux token", "beads/polecats/nux token", "beads/polecats/nux flag", no},
      {"beads/witness", no, "beads/witness token", "beads/witness token", "beads/witness flag", no},
      {"alpha/witness", no, no, "alpha/witness token", "alpha/witness flag", no},
      {"mayor/", no, no, "mayor/ token", "mayor/ flag", no},
      {"coder", no, no, "coder token", "coder flag", no},
      {"overseer", no, no, no, "overseer token", "overseer script"},
      {"nobody", "not_found", "not_found", "not_found", "not_found", "not_found"},
  };
  for (const auto& row : matrix) {
    SCOPED_TRACE(row.as.value_or("nobody is named"));
    EXPECT_EQ(who(max, row.as), row.max);
    EXPECT_EQ(who(rig, row.as), row.rig);
    EXPECT_EQ(who(any, row.as), row.any);
    EXPECT_EQ(who(human, row.as), row.human);
    EXPECT_EQ(who(trusted, row.as), row.trusted);
  }
  for (const auto& holder : {max, rig, any, human, trusted})
    EXPECT_FALSE(identified(holder, "townpost").has_value()) << "nobody is the town's own voice";
  EXPECT_EQ(who({.token = "tok-5", .role = TokenRole::agent}), no);
}

// What is around the server is not around its caller.
TEST_P(TokensTest, NothingButTheTokenSaysWhoCalls) {
  const TokenHolder nux{.token = "tok-1", .role = TokenRole::agent, .agent = id_of("nux")};
  IdentityInputs inputs;
  inputs.named.mail_identity = "beads/crew/max";
  inputs.named.role = "mayor";
  inputs.pane = "%5";
  inputs.agent_file = R"({"role":"crew","rig":"beads","name":"max"})";
  inputs.above = {"1.1@host"};
  inputs.around = SessionAround{.harness = "claude", .process = "1.1@host", .sign = "x", .is_proven = true};
  inputs.terminal = Terminal::attended;
  inputs.flag_may_be_new = true;
  machine().own = OwnPane{.pane = "%5", .session = "max", .pid = 1};
  const ProcessNotes notes(town().folder / "notes" / "session");
  inputs.token = nux;
  const auto found = must(identify(inputs, town(), notes));
  EXPECT_EQ(found.caller.address.str(), "beads/polecats/nux");
  EXPECT_EQ(found.caller.grade, Grade::token);
  EXPECT_EQ(found.how, "the token tok-1");
  EXPECT_FALSE(found.is_newly_named);
  inputs.token = TokenHolder{.token = "tok-2", .role = TokenRole::human};
  EXPECT_EQ(must(identify(inputs, town(), notes)).caller.address, Address::human());
  inputs.token = TokenHolder{.token = "tok-3", .role = TokenRole::town};
  inputs.flag = "newcomer";
  EXPECT_EQ(error_of(identify(inputs, town(), notes)).code, Code::not_found);
}

TEST_P(TokensTest, WithoutAnOpenTownNobodyIsKnownByIt) {
  IdentityInputs inputs;
  inputs.flag = "overseer";
  EXPECT_TRUE(inputs.human_by_default().has_value());
  inputs.token = TokenHolder{.token = "tok-1", .role = TokenRole::agent, .agent = id_of("nux")};
  EXPECT_FALSE(inputs.human_by_default().has_value());
}

TEST_P(TokensTest, TwoHoldersAreNotTakenForEachOther) {
  std::set<std::string> keys;
  IdentityInputs inputs;
  EXPECT_TRUE(keys.insert(inputs.key()).second);
  for (const auto& holder :
       {TokenHolder::trusted_loopback(), TokenHolder{.token = "tok-1", .role = TokenRole::agent, .agent = id_of("nux")},
        TokenHolder{.token = "tok-2", .role = TokenRole::agent, .agent = id_of("nux")},
        TokenHolder{.token = "tok-3", .role = TokenRole::rig, .rig = "beads"},
        TokenHolder{.token = "tok-4", .role = TokenRole::human}}) {
    inputs.token = holder;
    EXPECT_TRUE(keys.insert(inputs.key()).second) << holder.sign();
  }
}

TEST_P(TokensTest, AnAgentThatIsGoneDoesNotSpeak) {
  const TokenHolder nux{.token = "tok-1", .role = TokenRole::agent, .agent = id_of("nux")};
  must(registry().remove_agent("nux"));
  EXPECT_EQ(who(nux), "forbidden");
}

}  // namespace
}  // namespace townpost
