#pragma once
#include "cli/render.h"

namespace townpost {

// What people who watch over a town are shown.
Shown pane_jump(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
