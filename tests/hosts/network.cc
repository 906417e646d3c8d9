#include "hosts/network.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stdexcept>

#include "base/process.h"
#include "base/text.h"
#include "support/postgres_server.h"

namespace townpost {

namespace {

constexpr std::string_view kFamily = "townpost-test-";  // then the number of the process, then the machine

/// Runs `ip WORDS…`; what it printed. Throws if it fails.
std::string ip(const std::string& words) {
  std::vector<std::string> command = {"ip"};
  for (const auto word : split(words, ' ')) command.emplace_back(word);
  const auto done = SystemProcesses().run({.command = command,
                                           .input = "",
                                           .environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
                                           .folder = "/",
                                           .timeout = std::chrono::seconds(60)});
  if (!done)
    throw std::runtime_error(cat("the program ip is missing (apt-get install iproute2): ", done.error().message));
  if (done->exit_code != 0) throw std::runtime_error(cat("ip ", words, ": ", done->err));
  return done->out;
}

/// Those of test processes that are gone: somebody killed them together with their keepers.
void remove_stale_spaces() {
  const auto listed = ip("netns list");
  for (const auto line : split(listed, '\n')) {
    const std::string name(line.substr(0, line.find(' ')));
    if (!name.starts_with(kFamily)) continue;
    const int owner = std::atoi(name.c_str() + kFamily.size());
    if (owner > 0 && (::kill(owner, 0) == 0 || errno != ESRCH)) continue;
    try {
      ip("netns del " + name);
    } catch (const std::runtime_error&) {  // another test was faster
    }
  }
}

}  // namespace

Network::Network(const std::map<std::string, int>& machines) : machines_(machines) {
  if (::geteuid() != 0)
    throw std::runtime_error(
        "hosts of their own need network namespaces, and those need root: run this test as root, with iproute2");
  static std::atomic<int> number = 0;
  prefix_ = cat(kFamily, ::getpid(), "-", ++number, "-");
  remove_stale_spaces();
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor kept(ends[0]);
  keeper_ = FileDescriptor(ends[1]);
  // The keeper sleeps until this process is gone, however it went, and ends what still runs on the machines.
  std::vector<std::string> keeper = {
      "sh", "-c",
      "cat >/dev/null; for space do ip netns pids \"$space\" | xargs -r kill -9; ip netns del \"$space\"; done", "sh",
      space("switch")};
  for (const auto& [name, last] : machines_) keeper.push_back(space(name));
  keeper_process_ = postgres_tools::start(keeper, kept.get(), "/dev/null");

  ip(cat("netns add ", space("switch")));
  ip_on("switch", "link add bridge type bridge");
  ip_on("switch", "link set bridge up");
  for (const auto& [name, last] : machines_) {
    const std::string port = cat("port", last);
    ip(cat("netns add ", space(name)));
    ip_on(name, "link set lo up");
    ip_on("switch", cat("link add ", port, " type veth peer name cable netns ", space(name)));
    ip_on("switch", cat("link set ", port, " master bridge up"));
    ip_on(name, cat("addr add ", address(name), "/24 dev cable"));
    ip_on(name, "link set cable up");
  }
}

// Not `ip -n`, which mounts a /sys of its own and therefore does not work in a chroot.
void Network::ip_on(const std::string& machine, const std::string& words) const {
  on(machine, [&] { ip(words); });
}

Network::~Network() {
  keeper_ = FileDescriptor();  // now it does its work
  ::waitpid(keeper_process_, nullptr, 0);
}

std::string Network::space(const std::string& machine) const { return prefix_ + machine; }

std::string Network::address(const std::string& machine) const { return cat("10.77.0.", machines_.at(machine)); }

void Network::on(const std::string& machine, const std::function<void()>& work) const {
  const FileDescriptor here(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  const FileDescriptor there(::open(cat("/run/netns/", space(machine)).c_str(), O_RDONLY | O_CLOEXEC));
  if (!here || !there || ::setns(there.get(), CLONE_NEWNET) != 0)
    throw std::runtime_error("cannot go to the machine " + machine);
  struct Return {
    int home;
    ~Return() { ::setns(home, CLONE_NEWNET); }
  } const back{here.get()};
  work();
}

void Network::pull_cable(const std::string& machine) const {
  ip_on("switch", cat("link set port", machines_.at(machine), " down"));
}

void Network::plug_in(const std::string& machine) const {
  ip_on("switch", cat("link set port", machines_.at(machine), " up"));
}

}  // namespace townpost
