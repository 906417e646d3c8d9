#pragma once
#include "ops/op.h"

namespace townpost {

constexpr int kExitDone = 0;
constexpr int kExitNothing = 1;
constexpr int kExitWake = 2;  ///< what makes Claude Code wake its session
constexpr int kExitPartial = 9;

/// What the program exits with.
int exit_code(Code code);
int exit_code(const Answer& answer);

}  // namespace townpost
