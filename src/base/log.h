#pragma once
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace townpost {

/// A log file of the town: one line an entry, "2026-03-05T10:30:00.123Z text". Writing never fails the caller: what
/// cannot be written is dropped. A file over 1 MiB is moved to NAME.1 first, so logs never fill a disk.
class Log {
 public:
  Log(std::filesystem::path file, const Clock& clock) : file_(std::move(file)), clock_(clock) {}
  void line(std::string_view text) const;
  /// The same for what must not be missing. Error: why it could not be written.
  Result<> write(std::string_view text) const;

 private:
  std::filesystem::path file_;
  const Clock& clock_;
};

}  // namespace townpost
