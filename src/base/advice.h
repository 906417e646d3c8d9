#pragma once
#include <string>

#include "base/error.h"

namespace townpost {

/// An error's hint in full, its call as the table of operations has it: "queue.resume name=dispatch opens it again".
/// For whoever has no spelling of their own; the command line has.
std::string advice(const Error& error);

}  // namespace townpost
