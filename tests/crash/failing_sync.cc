// Preloaded into a program: the sync of the store's log fails, FAILING_SYNCS times, as on a disk that gives up.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool fails(int fd) {
  static int left = std::getenv("FAILING_SYNCS") ? std::atoi(std::getenv("FAILING_SYNCS")) : 0;
  char name[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (::readlink(link.c_str(), name, sizeof name - 1) <= 0 || !std::strstr(name, "-wal")) return false;
  return left-- > 0;
}

int sync_or_fail(long how, int fd) {
  if (!fails(fd)) return static_cast<int>(::syscall(how, fd));
  errno = EIO;
  return -1;
}

}  // namespace

extern "C" int fdatasync(int fd) { return sync_or_fail(SYS_fdatasync, fd); }
extern "C" int fsync(int fd) { return sync_or_fail(SYS_fsync, fd); }
