#pragma once
#include <string>
#include <vector>

#include "support/test_town.h"

namespace townpost {

/// Runs `gt WORDS…` in the town's folder on a terminal of its own, 120 columns wide. Both streams are in `out`.
ProcessOutput gt_on_terminal(const TestTown& town, const TestTown::Words& words,
                             const TestTown::Variables& variables = {});

/// What a person types once they see something new.
struct Keys {
  std::string after;
  std::string keys;
};

/// The same with any program, and somebody at the keys.
ProcessOutput on_terminal(const TestTown& town, const TestTown::Words& command,
                          const TestTown::Variables& variables = {}, const std::vector<Keys>& keys = {});

}  // namespace townpost
