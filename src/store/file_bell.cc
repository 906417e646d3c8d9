#include "store/file_bell.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/ear.h"
#include "base/private_files.h"
#include "base/text.h"
#include "post/town/listening.h"

namespace townpost {

namespace {

FileDescriptor open_bell(const std::filesystem::path& file) {
  FileDescriptor bell = open_private(file, O_WRONLY | O_CREAT);
  if (!bell && make_private_folders(file.parent_path())) bell = open_private(file, O_WRONLY | O_CREAT);
  return bell;  // no bell is no loss
}

/// The kernel's own file times move in steps of milliseconds: two rings within one step would look like one.
std::array<timespec, 2> now_twice() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {now, now};
}

}  // namespace

void FileBell::ring(const BellKey& key) {
  const auto bell = open_bell(file(key));
  if (!bell) return;
  const auto times = now_twice();
  // Of a file that is another user's, of a town that is shared, the time can only be set to the kernel's.
  if (::futimens(bell.get(), times.data()) != 0) ::futimens(bell.get(), nullptr);
  tell_ears(ears(key));
}

void FileBell::ring_all(const std::vector<BellKey>& keys) {
  constexpr std::size_t kFew = 4;
  const FileDescriptor bells = keys.size() > kFew ? open_private_folder(folder_, O_PATH) : FileDescriptor();
  if (!bells) return Bell::ring_all(keys);
  // From the folder on a bell is one step: most of them nobody hears, and they only get their time.
  const FileDescriptor listeners = open_private_folder(ears(), O_PATH);
  for (const auto& key : keys) {
    const auto times = now_twice();
    if (::utimensat(bells.get(), key.name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
      ring(key);
    else if (listeners && ::faccessat(listeners.get(), key.name.c_str(), F_OK, 0) == 0)
      tell_ears(ears(key));
  }
}

std::optional<std::int64_t> FileBell::stamp(const BellKey& key) {
  if (!own_) return std::nullopt;
  return modified_ns(cat(folder_.native(), "/", key.name)).value_or(0);
}

std::unique_ptr<Listener> FileBell::listen(const std::vector<BellKey>& keys,
                                           const std::vector<std::filesystem::path>& folders) {
  std::map<std::filesystem::path, BellKey> bells;
  for (const auto& key : keys) bells.emplace(ears(key), key);
  return std::make_unique<ListenerAt<EarsAt>>(std::move(bells), folders);
}

std::unique_ptr<Listener> FileBell::listen_to_all(const std::vector<std::filesystem::path>& folders) {
  return std::make_unique<ListenerAt<WatchAt>>(folder_, folders);
}

}  // namespace townpost
