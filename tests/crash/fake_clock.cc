// Preloaded into a program: its clock of the day runs FAKE_CLOCK_SECONDS ahead of (or, if negative, behind) the real
// one.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

extern "C" int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  const char* seconds = std::getenv("FAKE_CLOCK_SECONDS");
  if (result == 0 && clock == CLOCK_REALTIME && seconds) time->tv_sec += std::atol(seconds);
  return static_cast<int>(result);
}
