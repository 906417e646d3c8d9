// Tokens as every store must keep them.
#include "contract/store_contract.h"

namespace townpost {
namespace {

using std::chrono::minutes;

class TokenContract : public StoreContract {
 protected:
  Token token(const std::string& id, TokenKind kind = TokenKind::token) {
    return {.id = id,
            .kind = kind,
            .role = TokenRole::human,
            .note = "for \xF0\x9F\x93\xB1",
            .hash = "hash of " + id,
            .created_by = "overseer",
            .created_at = clock().now()};
  }
  void add(const Token& one) {
    write([&](Ledger& ledger) { must(ledger.add_token(one)); });
  }
  std::optional<Token> find(const std::string& id) {
    return read([&](Ledger& ledger) { return must(ledger.find_token(id)); });
  }
  std::vector<std::string> listed() {
    std::vector<std::string> out;
    for (const auto& one : read([](Ledger& ledger) { return must(ledger.tokens()); })) out.push_back(one.id);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(, TokenContract, ::testing::ValuesIn(store_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(TokenContract, ATokenIsKeptAsItIs) {
  auto one = token("tok-1");
  one.role = TokenRole::rig;
  one.rig = "beads";
  one.agent = add_agent("beads/crew/max");
  one.expires_at = clock().now() + minutes(5);
  one.last_used_at = clock().now();
  one.revoked_at = clock().now() + minutes(1);
  add(one);
  EXPECT_EQ(find("tok-1"), one);
  EXPECT_EQ(find("tok-2"), std::nullopt);
  EXPECT_EQ(find(""), std::nullopt);
}

TEST_P(TokenContract, OnlyItsUseItsEndAndItsAgentChange) {
  auto one = token("tok-1");
  add(one);
  auto changed = one;
  changed.revoked_at = clock().now();
  changed.last_used_at = clock().now();
  changed.agent = add_agent("nux");
  changed.hash = "another";
  changed.role = TokenRole::town;
  write([&](Ledger& ledger) { must(ledger.update_token(changed)); });
  changed.hash = one.hash;
  changed.role = one.role;
  EXPECT_EQ(find("tok-1"), changed);
}

TEST_P(TokenContract, CodesAreNotListed) {
  add(token("tok-2"));
  clock().advance(minutes(1));
  add(token("code-1", TokenKind::code));
  add(token("page-1", TokenKind::page));
  EXPECT_EQ(listed(), (std::vector<std::string>{"tok-2", "page-1"}));
}

TEST_P(TokenContract, OneThatIsRemovedWasThereOnce) {
  add(token("code-1", TokenKind::code));
  const auto remove = [&] {
    bool was_there = false;
    write([&](Ledger& ledger) { was_there = must(ledger.remove_token("code-1")); });
    return was_there;
  };
  EXPECT_TRUE(remove());
  EXPECT_FALSE(remove());
}

TEST_P(TokenContract, ItsUseIsNotedOnceInAWhile) {
  add(token("tok-1"));
  const auto use = [&] {
    write([&](Ledger& ledger) { must(ledger.note_token_use("tok-1", clock().now(), clock().now() - minutes(1))); });
    return find("tok-1")->last_used_at;
  };
  const auto first = clock().now();
  EXPECT_EQ(use(), first);
  clock().advance(std::chrono::seconds(59));
  EXPECT_EQ(use(), first);
  clock().advance(std::chrono::seconds(1));
  EXPECT_EQ(use(), clock().now());
}

TEST_P(TokenContract, WhatEndedLongAgoIsForgottenAndCodesAtOnce) {
  const Instant now = clock().now();
  auto ended = token("tok-1");
  ended.revoked_at = now - minutes(10);
  auto expired = token("tok-2");
  expired.expires_at = now - minutes(10);
  auto lately = token("tok-3");
  lately.revoked_at = now - minutes(1);
  auto code = token("code-4", TokenKind::code);
  code.expires_at = now;
  auto fresh = token("code-5", TokenKind::code);
  fresh.expires_at = now + minutes(1);
  for (const auto& one : {ended, expired, lately, code, fresh, token("tok-6")}) add(one);
  write([&](Ledger& ledger) { must(ledger.forget_tokens(now, now - minutes(5))); });
  EXPECT_EQ(listed(), (std::vector<std::string>{"tok-3", "tok-6"}));
  EXPECT_EQ(find("code-4"), std::nullopt);
  EXPECT_EQ(find("code-5"), fresh);
}

TEST_P(TokenContract, OfAgentsThatBecomeOneTheTokensGoAlong) {
  const auto nux = add_agent("nux");
  const auto slit = add_agent("slit");
  auto one = token("tok-1");
  one.agent = nux;
  add(one);
  write([&](Ledger& ledger) { must(ledger.merge_mailboxes(nux, slit)); });
  const auto of = [&](AgentId agent) {
    return read([&](Ledger& ledger) { return must(ledger.tokens_of(agent)); }).size();
  };
  EXPECT_EQ(of(nux), 0u);
  EXPECT_EQ(of(slit), 1u);
}

}  // namespace
}  // namespace townpost
