#include "base/cancellation.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace townpost {

Cancellation::Cancellation() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Cancellation::cancel() {
  cancelled_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  if (bell_) (void)!::write(bell_.get(), &one, sizeof one);
}

}  // namespace townpost
