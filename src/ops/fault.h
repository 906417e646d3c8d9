#pragma once
#include "ops/op.h"

namespace townpost {

/// Names the argument of a call that cannot be understood, or asks for what is not there, unless the error names one.
/// An error's message names its object, so whichever argument gave that is at fault. What comes from elsewhere
/// (settings, the environment) is no argument's fault.
void name_fault(const Op& op, const Args& args, Error& error);

}  // namespace townpost
