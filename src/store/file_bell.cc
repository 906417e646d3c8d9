#include "store/file_bell.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/ear.h"
#include "base/private_files.h"
#include "post/town/listening.h"

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
  tell_ears(ears(key));
}

std::optional<std::int64_t> FileBell::stamp(const BellKey& key) {
  if (!own_) return std::nullopt;
  return modified_ns(file(key)).value_or(0);
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
