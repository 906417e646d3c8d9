#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/files.h"

namespace townpost::bench {

/// A folder for what companions keep, removed at the end.
TemporaryFolder own_folder();

/// A program that runs beside the measurement, with a small environment of its own. It is ended with this object, and
/// with this process, however that ends.
class Companion {
 public:
  struct Plan {
    std::vector<std::string> words;
    std::filesystem::path folder;          ///< where it runs
    std::vector<std::string> environment;  ///< "NAME=value"
    std::filesystem::path log;             ///< what it prints
  };
  explicit Companion(const Plan& plan);
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  /// The rest of the first whole line that it prints with `text` in it. Gives up if it never comes.
  std::string await(const std::string& text);

 private:
  std::filesystem::path log_;
  Child child_;
};

}  // namespace townpost::bench
