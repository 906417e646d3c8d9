#include "base/folder_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

std::string words_for(int error) {
  if (error == EMFILE) return "the system refuses to watch more folders for this user (fs.inotify.max_user_instances)";
  if (error == ENOSPC) return "the system refuses to watch more folders for this user (fs.inotify.max_user_watches)";
  return cat("the system does not watch folders: ", std::strerror(error));
}

/// Another value means another content: whoever writes replaces the file, or sets its time.
std::string fingerprint_of(const struct stat& file) {
  return cat(file.st_ino, " ", file.st_size, " ", file.st_mtim.tv_sec, ".", file.st_mtim.tv_nsec);
}

}  // namespace

FolderWatch::FolderWatch(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {
  if (folders_.empty()) return;
  for (const auto& folder : folders_) (void)make_private_folders(folder);  // what is not there cannot be watched
  notifier_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!notifier_) refusal_ = words_for(errno);
  for (const auto& folder : folders_) watch(folder);
  if (!refusal_.empty()) look();
}

void FolderWatch::watch(const std::filesystem::path& folder) {
  if (!notifier_) return;
  // A file that is replaced or rung is told of once: when it is in place, or closed.
  const int watched = ::inotify_add_watch(notifier_.get(), folder.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE);
  if (watched >= 0) {
    watched_[watched] = folder;
    return;
  }
  refusal_ = words_for(errno);
  notifier_ = FileDescriptor();
}

FolderWatch::Changes FolderWatch::read() {
  if (!notifier_) return look();
  Changes out;
  std::set<std::filesystem::path> files;
  alignas(inotify_event) std::array<char, 16u << 10> events{};
  while (notifier_) {
    const auto got = ::read(notifier_.get(), events.data(), events.size());
    if (got <= 0) break;
    for (std::ptrdiff_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, events.data() + at, sizeof event);
      const char* const name = events.data() + at + sizeof event;
      at += static_cast<std::ptrdiff_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) out.missed = true;
      const auto folder = watched_.find(event.wd);
      if (folder == watched_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {  // somebody removed the folder
        const auto gone = folder->second;
        watched_.erase(folder);
        (void)make_private_folders(gone);
        watch(gone);
        out.missed = true;
      } else if (event.len > 0 && name[0] != '.') {
        files.insert(folder->second / name);
      }
    }
  }
  out.files.assign(files.begin(), files.end());
  return out;
}

FolderWatch::Changes FolderWatch::look() {
  Changes out;
  for (const auto& folder : folders_) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      struct stat file {};
      if (entry.path().filename().native().starts_with('.') || ::lstat(entry.path().c_str(), &file) != 0) continue;
      auto& seen = seen_[entry.path()];
      auto now = fingerprint_of(file);
      if (seen == now) continue;
      seen = std::move(now);
      out.files.push_back(entry.path());
    }
  }
  return out;
}

}  // namespace townpost
