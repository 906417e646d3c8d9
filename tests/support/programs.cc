#include "support/test_town.h"

namespace townpost {

const char* gt_program() { return GT_PROGRAM; }
const char* townpostd_program() { return TOWNPOSTD_PROGRAM; }

}  // namespace townpost
