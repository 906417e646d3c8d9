#pragma once
#include <string>
#include <vector>

namespace townpost::bench {

/// How long the runs of one program took, in milliseconds.
class Times {
 public:
  explicit Times(std::vector<double> ms);
  double median() const { return at(0.5); }
  double p95() const { return at(0.95); }
  double slowest() const { return sorted_.back(); }
  std::size_t count() const { return sorted_.size(); }
  /// "median 1.234 ms, p95 2.345, slowest 9.876 (400 runs)"
  std::string str() const;

 private:
  double at(double share) const;
  std::vector<double> sorted_;
};

}  // namespace townpost::bench
