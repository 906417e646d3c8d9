#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "post/values/message.h"

namespace townpost {

/// For whom the holder of a token may speak.
enum class TokenRole {
  agent,  ///< one agent, and nobody else
  rig,    ///< any agent of a rig, named with each call
  town,   ///< any agent of the town, named with each call; not the human
  human,  ///< the human
};
constexpr TokenRole last_value(TokenRole) { return TokenRole::human; }
std::string_view name(TokenRole role);

/// What its secret is handed in as.
enum class TokenKind {
  token,  ///< with each call of a program
  page,   ///< as the cookie of a browser
  code,   ///< once, in the link that opens a page
};
constexpr TokenKind last_value(TokenKind) { return TokenKind::code; }
std::string_view name(TokenKind kind);

/// Who may call the town's server. Of the secret only the hash is kept.
struct Token {
  std::string id;  ///< "tok-…", "page-…" or "code-…": may be shown to everybody
  TokenKind kind = TokenKind::token;
  TokenRole role = TokenRole::agent;
  std::optional<AgentId> agent;  ///< of TokenRole::agent
  std::string rig;               ///< of TokenRole::rig
  std::string note;              ///< what its maker wrote about it
  std::string hash;
  std::string created_by;
  Instant created_at;
  std::optional<Instant> expires_at;
  std::optional<Instant> last_used_at;  ///< not exact: noted at most once a minute
  std::optional<Instant> revoked_at;
  friend bool operator==(const Token&, const Token&) = default;

  bool is_live(Instant now) const { return !revoked_at && (!expires_at || now < *expires_at); }
};

std::string new_token_id(TokenKind kind, Random& random);
/// Whether it is written as an id; a secret is not.
bool is_token_id(std::string_view text);

/// The secret as it is handed out, "gt_<id>_<secret>", and the id that such a text names; empty if it is none.
std::string token_text(std::string_view id, std::string_view secret);
std::string_view token_id_in(std::string_view text);

/// A caller that the server knows by its token, or lets in without one.
struct TokenHolder {
  std::string token;  ///< the id; empty: without one
  TokenRole role = TokenRole::agent;
  std::optional<AgentId> agent;
  std::string rig;
  std::optional<Instant> expires_at;  ///< whatever it follows ends then
  /// A client on the same machine that nobody gave a token is the human for reading and sending, where the town's
  /// settings say so.
  enum class Reach { everything, reading_and_sending };
  Reach reach = Reach::everything;
  /// It was not noted for a while that the token is in use: Tokens::note_use, once the answer is on its way.
  bool use_is_to_be_noted = false;
  friend bool operator==(const TokenHolder&, const TokenHolder&) = default;

  static TokenHolder trusted_loopback();
  /// What tells who it is, for people: "the token tok-1".
  std::string sign() const;
};

}  // namespace townpost
