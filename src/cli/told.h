#pragma once
#include <optional>

#include "base/shown.h"
#include "cli/parse.h"
#include "cli/screen.h"

namespace townpost {

/// What a command that changes something did, in one sentence, and what follows from it; then what to type next.
/// Nothing, of an operation that is shown in another way.
std::optional<Shown> told(const CommandLine& line, const Answer& answer, const Screen& screen);

/// Whether it has a sentence for what this operation does.
bool has_sentence(const Op& op);

}  // namespace townpost
