#include "delivery/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/process_tree.h"

namespace townpost {

namespace {

constexpr Millis kTimeForOrphans = std::chrono::seconds(2);

/// Those that our child's programs left to us.
std::vector<int> orphans(int child) {
  auto all = children_of(::getpid());
  std::erase(all, child);
  return all;
}

/// A process and all below it.
void signal_all(int pid, int number) {
  for (const int child : children_of(pid)) signal_all(child, number);
  ::kill(pid, number);
}

}  // namespace

void reap_orphans(int child) {
  for (const int pid : orphans(child))
    if (is_zombie(pid)) ::waitpid(pid, nullptr, WNOHANG);
}

void end_orphans() {
  const auto until = std::chrono::steady_clock::now() + kTimeForOrphans;
  for (const int pid : orphans(0)) signal_all(pid, SIGTERM);
  for (reap_orphans(0); !orphans(0).empty(); reap_orphans(0)) {
    const auto now = std::chrono::steady_clock::now();
    if (now > until + kTimeForOrphans) return;  // what cannot be killed is not waited for
    if (now > until)
      for (const int pid : orphans(0)) signal_all(pid, SIGKILL);
    std::this_thread::sleep_for(Millis(10));
  }
}

void keep_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace townpost
