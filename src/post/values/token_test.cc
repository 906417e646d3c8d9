#include "post/values/token.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace townpost {
namespace {

TEST(TokenText, NamesItsTokenAndNothingElseDoes) {
  SeededRandom random(3);
  for (const auto kind : {TokenKind::token, TokenKind::page, TokenKind::code}) {
    const auto id = new_token_id(kind, random);
    EXPECT_TRUE(is_token_id(id)) << id;
    EXPECT_EQ(token_id_in(token_text(id, "se_cr-et")), id);
    EXPECT_EQ(token_id_in(cat("gt_", id)), "") << "a secret is missing";
    EXPECT_EQ(token_id_in(cat(id, "_secret")), "");
    EXPECT_EQ(token_id_in(cat(" ", token_text(id, "secret"))), "");
  }
  for (const auto* text : {"", "gt_", "gt__", "gt_tok-_x", "gt_tok-ILOU_x", "gt_hq-m-1_x", "GT_tok-1_x", "gt_tok-1 _x"})
    EXPECT_EQ(token_id_in(text), "") << text;
}

TEST(TokenText, IsNotTakenForAnId) {
  EXPECT_FALSE(is_token_id(token_text("tok-1", "secret")));
  EXPECT_FALSE(is_token_id("hq-m-1"));
  EXPECT_FALSE(is_token_id(""));
  EXPECT_TRUE(is_token_id("tok-1"));
}

TEST(TokenIds, AreOfOneLength) {
  SeededRandom random(3);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(new_token_id(TokenKind::token, random).size(), 12u);
}

TEST(TokenLife, EndsWithItsTimeOrWhenItIsRevoked) {
  Token token;
  EXPECT_TRUE(token.is_live({INT64_MAX}));
  token.expires_at = Instant{1000};
  EXPECT_TRUE(token.is_live({999}));
  EXPECT_FALSE(token.is_live({1000}));
  token.expires_at.reset();
  token.revoked_at = Instant{5};
  EXPECT_FALSE(token.is_live({1}));
}

}  // namespace
}  // namespace townpost
