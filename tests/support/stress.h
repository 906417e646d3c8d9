#pragma once
#include <cstdlib>
#include <string_view>

namespace townpost {

/// How much of something a test does: `usual` times in `./dev test`, `full` times in `./dev torture`, which sets
/// TOWNPOST_STRESS=full.
inline int stress(int full, int usual) {
  const char* said = std::getenv("TOWNPOST_STRESS");
  return said && std::string_view(said) == "full" ? full : usual;
}

}  // namespace townpost
