#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about nudges and agents' lives, for people.
std::string nudge_receipts(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string nudge_list(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string nudge_shown(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string nudge_explained(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string nudges_carried(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string busiest_agents(const CommandLine& line, const Answer& answer, const Screen& screen);
std::string town_status(const CommandLine& line, const Answer& answer, const Screen& screen);
/// What goes to a program as it is: hooks, blocks for prompts.
std::string bare_text(const CommandLine& line, const Answer& answer, const Screen& screen);

}  // namespace townpost
