#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about queues and channels, for people.
std::string claimed(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string posts(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string queue_list(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
