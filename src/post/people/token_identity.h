#pragma once
#include <optional>

#include "post/people/caller.h"
#include "post/town/store.h"
#include "post/values/token.h"

namespace townpost {

/// Who calls with this token, if --as names this one or nobody. Error: forbidden for whomever it is not for; usage for
/// a token of several, where nobody is named.
Result<Caller> caller_by_token(Ledger& ledger, const TokenHolder& holder, const std::optional<Address>& named);

}  // namespace townpost
