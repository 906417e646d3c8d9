#include "base/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>

namespace townpost {

FolderWatch::FolderWatch(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
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
