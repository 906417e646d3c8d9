#include "agents/loopback_network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "support/postgres_server.h"

namespace townpost {

namespace {

constexpr const char* kSpaceOfThisThread = "/proc/thread-self/ns/net";

bool bring_loopback_up() {
  const FileDescriptor any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  if (!any || ::ioctl(any.get(), SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  return ::ioctl(any.get(), SIOCSIFFLAGS, &request) == 0;
}

// A thread of its own, because there is no way back for one that has left. The open descriptor keeps the space alive.
FileDescriptor make_space() {
  FileDescriptor space;
  std::thread([&space] {
    if (::unshare(CLONE_NEWNET) == 0 && bring_loopback_up())
      space = FileDescriptor(::open(kSpaceOfThisThread, O_RDONLY | O_CLOEXEC));
  }).join();
  if (!space)
    throw std::runtime_error("a network of its own needs a network namespace, and that needs root: run this as root");
  return space;
}

// Sleeps until this process is gone, however it went, and ends what runs in the space with that number. Twice, because
// the first to be found may have started another meanwhile.
constexpr const char* kKeeper =
    "cat >/dev/null\n"
    "for round in 1 2; do\n"
    "  find /proc/[0-9]*/ns/net -maxdepth 0 -lname \"net:?$1?\" 2>/dev/null | cut -d/ -f3 | xargs -r kill -9\n"
    "done";

}  // namespace

LoopbackNetwork::LoopbackNetwork() : space_(make_space()) {
  struct stat about {};
  int ends[2] = {-1, -1};
  if (::fstat(space_.get(), &about) != 0 || ::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor kept(ends[0]);
  keeper_ = FileDescriptor(ends[1]);
  keeper_process_ =
      postgres_tools::start({"sh", "-c", kKeeper, "sh", std::to_string(about.st_ino)}, kept.get(), "/dev/null");
}

LoopbackNetwork::~LoopbackNetwork() {
  keeper_ = FileDescriptor();  // now it does its work
  ::waitpid(keeper_process_, nullptr, 0);
}

void LoopbackNetwork::on(const std::function<void()>& work) const {
  const FileDescriptor here(::open(kSpaceOfThisThread, O_RDONLY | O_CLOEXEC));
  if (!here || ::setns(space_.get(), CLONE_NEWNET) != 0) throw std::runtime_error("cannot go to the network");
  struct Return {
    int home;
    ~Return() { ::setns(home, CLONE_NEWNET); }
  } const back{here.get()};
  work();
}

}  // namespace townpost
