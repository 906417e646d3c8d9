#pragma once
#include "support/test_town.h"

namespace townpost {

/// Fails unless what a call with --json printed fits the shape of its row, or that of errors. Every call of this suite
/// is held against it.
void expect_contract(const TestTown::Words& words, const ProcessOutput& output);

}  // namespace townpost
