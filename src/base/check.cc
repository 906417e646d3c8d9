#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace townpost {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "gt: this is a bug in Townpost: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace townpost
