#include "bench/times.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/check.h"

namespace townpost::bench {

Times::Times(std::vector<double> ms) : sorted_(std::move(ms)) {
  CHECK(!sorted_.empty());
  std::sort(sorted_.begin(), sorted_.end());
}

double Times::at(double share) const {
  return sorted_[std::min(sorted_.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted_.size())))];
}

std::string Times::str() const {
  std::array<char, 128> line{};
  std::snprintf(line.data(), line.size(), "median %.3f ms, p95 %.3f, slowest %.3f (%zu runs)", median(), p95(),
                slowest(), count());
  return line.data();
}

}  // namespace townpost::bench
