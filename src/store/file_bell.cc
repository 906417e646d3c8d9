#include "store/file_bell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/private_files.h"

namespace townpost {

namespace {

FileDescriptor open_bell(const std::filesystem::path& file) {
  FileDescriptor bell = open_private(file, O_WRONLY | O_CREAT);
  if (!bell && make_private_folders(file.parent_path())) bell = open_private(file, O_WRONLY | O_CREAT);
  return bell;  // no bell is no loss
}

}  // namespace

void FileBell::ring(const BellKey& key) {
  const auto bell = open_bell(file(key));
  if (!bell) return;
  // The kernel's own file times move in steps of milliseconds: two rings within one step would look like one.
  timespec times[2] = {{}, {}};
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[1] = times[0];
  ::futimens(bell.get(), times);
}

std::int64_t FileBell::stamp(const BellKey& key) { return modified_ns(file(key)).value_or(0); }

void FileBell::wait(const BellKey& key, std::int64_t seen, Millis longest) {
  const auto path = file(key);
  if (stamp(key) != seen) return;
  // Never rung: there must be a file to watch. The caller looks again, because nobody can tell whether it was rung
  // between then and now.
  if (seen == 0 && open_bell(path)) return;
  const FileDescriptor watcher(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const bool watching = watcher && ::inotify_add_watch(watcher.get(), path.c_str(), IN_ATTRIB | IN_DELETE_SELF) >= 0;
  if (stamp(key) != seen) return;  // rung between the caller's look and our watch
  pollfd ready{.fd = watching ? watcher.get() : -1, .events = POLLIN, .revents = 0};
  ::poll(&ready, 1, static_cast<int>(longest.count()));
}

void FileBell::wait_for_any(const std::vector<int>& also, Millis longest) {
  if (!all_) {
    all_.emplace(folder_);
    return;  // what rang before we listened was not heard
  }
  std::vector<pollfd> ready = {{.fd = all_->fd(), .events = POLLIN, .revents = 0}};
  for (const int fd : also) ready.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  ::poll(ready.data(), ready.size(), static_cast<int>(longest.count()));
  all_->drain();
}

}  // namespace townpost
