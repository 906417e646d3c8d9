#pragma once
#include "support/test_town.h"

namespace townpost {

/// Is told of every call of the program by TestTown::gt, gt_in and json, and what came of it.
using Witness = void (*)(const TestTown::Words& words, const ProcessOutput& output);

/// The one witness of this process; null for none.
void call_witness(Witness witness);

}  // namespace townpost
