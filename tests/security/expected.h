#pragma once
#include <string_view>

#include "ops/op.h"

namespace townpost {

/// What a caller is to the gate. Whoever is named by a call in these tests is none of them.
enum class Standing { agent, quarantined, script, person };

enum class Expected { refused, allowed, undecided };

/// What the row says about this caller. A call that names somebody names victim, who is nobody of these.
Expected expected(const Op& op, Standing caller);

/// Data decides for each message or nudge by itself, and what one may not see is left out of lists.
bool is_told_by_each(std::string_view op);

}  // namespace townpost
