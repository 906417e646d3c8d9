#include "base/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace townpost {

SignalInbox::SignalInbox(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_ = FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::vector<int> SignalInbox::read() const {
  std::vector<int> out;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) out.push_back(static_cast<int>(info.ssi_signo));
  return out;
}

}  // namespace townpost
