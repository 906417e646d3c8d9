#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace townpost {

/// One line on the terminal of a person who waits; nothing where nobody looks. Gone when the work is done.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(std::string_view part, std::int64_t done, std::int64_t total);

 private:
  std::string what_;
  bool seen_;  ///< whether standard error is a terminal
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace townpost
