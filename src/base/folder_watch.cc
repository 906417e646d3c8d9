#include "base/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>

#include "base/private_files.h"

namespace townpost {

FolderWatch::FolderWatch(const std::filesystem::path& folder) {
  (void)make_private_folders(folder);  // what is not there cannot be watched
  notifier_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (notifier_ &&
      ::inotify_add_watch(notifier_.get(), folder.c_str(), IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
    notifier_ = FileDescriptor();
}

void FolderWatch::drain() const {
  std::array<char, 4096> events{};
  while (::read(notifier_.get(), events.data(), events.size()) > 0) {
  }
}

}  // namespace townpost
