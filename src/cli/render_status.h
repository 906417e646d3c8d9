#pragma once
#include "cli/render.h"

namespace townpost {

/// `gt status`: who needs a person first, then everybody in columns.
Shown town_status(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
