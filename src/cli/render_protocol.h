#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about typed messages.
std::string todo_list(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string type_list(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string parsed_messages(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string built_message(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string thread_summary(const Answer& answer, const Screen& screen);

}  // namespace townpost
