#include "delivery/tmux/session_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

std::filesystem::path session_file(const std::filesystem::path& folder, std::string_view name,
                                   std::string_view ending) {
  std::string safe;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    safe += plain ? c : '_';
  }
  return folder / safe.append(ending);
}

namespace {

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

// While it is held, the file has a byte in it; giving it back takes that away, and so sets the file's time. A holder
// that died leaves its byte.

/// When the last holder gave it back, if it did so itself.
std::optional<SessionLock::Moment> given_back(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0 || found.st_size != 0) return std::nullopt;
  return SessionLock::Moment{nanoseconds(found.st_mtim)};
}

}  // namespace

SessionLock::Moment SessionLock::Moment::now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);  // by which the kernel sets the times of files
  return {nanoseconds(time)};
}

SessionLock::~SessionLock() {
  if (file_) (void)!::ftruncate(file_.get(), 0);
}

Result<SessionLock> SessionLock::take(const std::filesystem::path& folder, std::string_view name, Millis longest,
                                      const Sleep& sleep) {
  const auto path = session_file(folder, name, ".lock");
  FileDescriptor file = open_private(path, O_RDWR | O_CREAT);
  if (!file && errno == ENOENT) {
    TRY_VOID(make_private_folders(folder));
    file = open_private(path, O_RDWR | O_CREAT);
  }
  if (!file) return fail(file_error("open", path, errno));
  // Belongs to the open file, not to the process: two threads exclude each other too, and closing another descriptor of
  // the same file does not give it away.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  // A lock cannot be waited for with a limit, so we ask again and again.
  constexpr Millis kAskAgain(10);
  for (Millis left = longest;; left -= kAskAgain) {
    if (::fcntl(file.get(), F_OFD_SETLK, &whole) == 0) {
      const auto free_since = given_back(file.get());
      const bool is_marked = ::pwrite(file.get(), "*", 1, 0) == 1;
      return SessionLock(std::move(file), is_marked ? free_since : std::nullopt);
    }
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return fail(file_error("lock", path, errno));
    if (left <= Millis(0)) return fail(Code::timeout, cat("another process is typing into ", name));
    sleep(kAskAgain);
  }
}

}  // namespace townpost
