#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "post/people/caller.h"
#include "post/town/town.h"
#include "post/values/token.h"

namespace townpost {

/// A link that opens a page lives so long, and the page itself.
constexpr Millis kCodeLife = std::chrono::seconds(60);
constexpr Millis kPageLife = std::chrono::days(30);

/// Who may call the town's server: tokens for programs, pages for browsers.
class Tokens {
 public:
  explicit Tokens(Town& town) : town_(town) {}

  struct NewToken {
    TokenRole role = TokenRole::agent;
    std::string agent;  ///< of TokenRole::agent: any of its names
    std::string rig;    ///< of TokenRole::rig
    std::optional<Instant> expires_at;
    std::string note;
  };
  struct Made {
    Token token;
    std::string text;   ///< what its holder shows; nobody can find it out again
    std::string agent;  ///< the address, of TokenRole::agent
  };
  /// For a person who is here: whoever is known by a token makes none, or it could outlive its own end.
  Result<Made> create(const NewToken& wanted, const Caller& caller);

  struct Listed {
    Token token;
    std::string agent;
  };
  enum class Which { live, all };
  /// Tokens and pages: a person's are all, an agent's those that speak for it.
  Result<std::vector<Listed>> list(Which which, const Caller& caller);
  /// It lets nobody in any more, and what its holder follows ends. Error: not_found.
  Result<Token> revoke(std::string_view id);

  /// A code for one link, and the page that it is exchanged for, once. Error of redeem_open_code: forbidden, the same
  /// whatever is wrong.
  Result<Made> make_open_code(const Caller& caller);
  Result<Made> redeem_open_code(std::string_view code);

  /// Notes that the token is in use, where that is due: a write of its own, after the call that it was shown for.
  Result<> note_use(const TokenHolder& holder);

 private:
  Town& town_;
};

/// Whose token this is. Error: forbidden with the same words for one that is unknown, malformed, expired, revoked or
/// whose agent is gone (a front end's "unauthorised"); unavailable, if the store cannot be asked.
Result<TokenHolder> who_holds(Ledger& ledger, std::string_view token, Instant now);
/// The same for the cookie of a page.
Result<TokenHolder> who_browses(Ledger& ledger, std::string_view cookie, Instant now);

// Those who leave: their tokens let nobody in, also if somebody of that name comes again.
Result<> end_tokens_of(Ledger& ledger, AgentId agent, Instant now);
Result<> end_tokens_of_rig(Ledger& ledger, std::string_view rig, Instant now);

}  // namespace townpost
