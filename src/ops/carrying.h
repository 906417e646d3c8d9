#pragma once
#include <string>
#include <vector>

#include "ops/op.h"

namespace townpost::ops {

/// Has what waits for these agents carried to their sessions by a process of its own, so that nobody waits for a
/// terminal or a server. Nothing to do where `gt up` runs. Trouble leaves it in the line.
void have_carried(Call& call, const std::vector<std::string>& addresses);

}  // namespace townpost::ops
