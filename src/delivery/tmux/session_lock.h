#pragma once
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace townpost {

/// Where what belongs to the session called `name` is kept in `folder`.
std::filesystem::path session_file(const std::filesystem::path& folder, std::string_view name, std::string_view ending);

/// The right to type into one session, held by one process (and one thread) at a time. Given back at the end, also if
/// the process dies.
class SessionLock {
 public:
  using Sleep = std::function<void(Millis)>;
  /// Waits up to `longest` for the lock called `name` in `folder` (made if missing). timeout: another holds it.
  static Result<SessionLock> take(const std::filesystem::path& folder, std::string_view name, Millis longest,
                                  const Sleep& sleep);

 private:
  explicit SessionLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace townpost
