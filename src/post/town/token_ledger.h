#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "post/values/token.h"

namespace townpost {

/// Tokens, pages and the codes of links, as one transaction sees them. Belongs to the thread of its transaction.
class TokenLedger {
 public:
  virtual ~TokenLedger() = default;
  virtual Result<std::vector<Token>> tokens() = 0;  ///< and pages, not codes; in the order they were made
  virtual Result<std::vector<Token>> tokens_of(AgentId agent) = 0;  ///< those that speak for it
  virtual Result<std::optional<Token>> find_token(std::string_view id) = 0;
  virtual Result<> add_token(const Token& token) = 0;
  virtual Result<> update_token(const Token& token) = 0;
  virtual Result<bool> remove_token(std::string_view id) = 0;  ///< false: it was not there
  /// Notes that it is in use, unless that was noted since `since`.
  virtual Result<> note_token_use(std::string_view id, Instant now, Instant since) = 0;
  /// Forgets codes that nobody may use any more, and the rest that ended before `before`.
  virtual Result<> forget_tokens(Instant now, Instant before) = 0;
};

}  // namespace townpost
