#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about nudges and agents' lives, for people.
Shown nudge_receipts(const CommandLine& line, const Answer& answer, const Screen& screen);
/// One row of a list.
Shown nudge_line(const JsonObject& nudge, const Screen& screen);
Shown nudge_shown(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown nudge_explained(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown nudges_carried(const CommandLine& line, const Answer& answer, const Screen& screen);
/// What goes to a program as it is: hooks, blocks for prompts.
Shown bare_text(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
