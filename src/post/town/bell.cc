#include "post/town/bell.h"

namespace townpost {

std::string names_of(const std::vector<BellKey>& keys) {
  std::string out;
  for (const auto& key : keys) out += (out.empty() ? "" : " ") + key.name;
  return out;
}

}  // namespace townpost
