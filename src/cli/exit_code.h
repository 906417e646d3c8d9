#pragma once
#include "ops/op.h"

namespace townpost {

constexpr int kExitDone = 0;
constexpr int kExitNothing = 1;
constexpr int kExitPartial = 9;

/// What the program exits with.
int exit_code(Code code);
int exit_code(Outcome outcome);

}  // namespace townpost
