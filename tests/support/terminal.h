#pragma once
#include "support/test_town.h"

namespace townpost {

/// Runs `gt WORDS…` in the town's folder on a terminal of its own, 120 columns wide. Both streams are in `out`.
ProcessOutput gt_on_terminal(const TestTown& town, const TestTown::Words& words,
                             const TestTown::Variables& variables = {});

/// The same with any program.
ProcessOutput on_terminal(const TestTown& town, const TestTown::Words& command,
                          const TestTown::Variables& variables = {});

}  // namespace townpost
