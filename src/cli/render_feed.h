#pragma once
#include "cli/render.h"

namespace townpost {

/// One entry of the town's log in one line: when, who, what, and its words.
Shown feed_line(const JsonObject& entry, const Screen& screen);
/// A list of them.
Shown feed_lines(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
