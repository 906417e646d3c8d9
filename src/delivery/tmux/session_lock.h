#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
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
  /// A moment by the clock of files.
  struct Moment {
    std::int64_t ns = 0;
    static Moment now();
  };
  /// Waits up to `longest` for the lock called `name` in `folder` (made if missing). timeout: another holds it.
  static Result<SessionLock> take(const std::filesystem::path& folder, std::string_view name, Millis longest,
                                  const Sleep& sleep);
  ~SessionLock();
  SessionLock(SessionLock&&) = default;
  SessionLock& operator=(SessionLock&&) = delete;
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  /// That nobody else has held it since then, so that what was seen at that moment is not of another's making. No,
  /// where that is not known: whoever held it last died with it, or it is new.
  bool was_free_since(Moment moment) const { return free_since_ && free_since_->ns < moment.ns; }

 private:
  SessionLock(FileDescriptor file, std::optional<Moment> free_since)
      : file_(std::move(file)), free_since_(free_since) {}
  FileDescriptor file_;
  std::optional<Moment> free_since_;  ///< when its last holder gave it back
};

}  // namespace townpost
