#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about queues and channels, for people.
Shown claimed(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown posts(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
