#pragma once
#include <string>

#include "cli/parse.h"
#include "cli/render.h"

namespace townpost {

// Answers about queues and channels, for people.
Shown claimed(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown posts(const CommandLine& line, const Answer& answer, const Screen& screen);

Shown queue_card(const CommandLine& line, const Answer& answer, const Screen& screen);
Shown channel_card(const CommandLine& line, const Answer& answer, const Screen& screen);
/// "the newest 100 posts, for 24 hours"
std::string retention_of(const JsonObject& channel);

}  // namespace townpost
