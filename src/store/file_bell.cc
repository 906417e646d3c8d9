#include "store/file_bell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/ear.h"
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
  tell_ears(ears(key));
}

std::int64_t FileBell::stamp(const BellKey& key) { return modified_ns(file(key)).value_or(0); }

void FileBell::wait(const BellKey& key, std::int64_t seen, Millis longest) {
  if (stamp(key) != seen) return;
  Ear ear({ears(key)});
  if (stamp(key) != seen) return;  // rung between the caller's look and now
  ear.wait({}, longest);
}

namespace {

class EarListener final : public Listener {
 public:
  explicit EarListener(const std::vector<std::filesystem::path>& folders) : ear_(folders) {}
  void wait(const std::vector<int>& also, Millis longest) override { ear_.wait(also, longest); }

 private:
  Ear ear_;
};

}  // namespace

std::unique_ptr<Listener> FileBell::listen(const std::vector<BellKey>& keys,
                                           const std::vector<std::filesystem::path>& folders) {
  auto all = folders;
  for (const auto& key : keys) all.push_back(ears(key));
  return std::make_unique<EarListener>(all);
}

void FileBell::wait_for_any(const std::vector<int>& also, Millis longest) {
  if (!all_) {
    all_.emplace(folder_);
    return;  // what rang before we listened was not heard
  }
  std::vector<pollfd> ready = {{.fd = all_->fd(), .events = POLLIN, .revents = 0}};
  for (const int fd : also) ready.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  constexpr Millis kDeafLook = std::chrono::seconds(1);  // the system lets a user watch only so many folders
  const Millis most = all_->fd() >= 0 ? longest : std::min(longest, kDeafLook);
  ::poll(ready.data(), ready.size(), static_cast<int>(most.count()));
  all_->drain();
}

}  // namespace townpost
