#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about typed messages.
Shown todo_list(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown type_list(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown parsed_messages(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown built_message(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown thread_summary(const Answer& answer, const Screen& screen);

}  // namespace townpost
