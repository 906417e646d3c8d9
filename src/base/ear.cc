#include "base/ear.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>

#include "base/private_files.h"
#include "base/seclusion.h"
#include "base/signals.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr Millis kDeafLook = std::chrono::seconds(1);
constexpr std::size_t kMuch = 60'000;  // of a pipe's 65,536 bytes: what came afterwards may be lost
constexpr int kMostEars = 4096;        // whoever fills a folder with pipes slows nobody down for long

std::string own_name() {
  static std::atomic<int> number = 0;
  return cat(::getpid(), "-", ++number);
}

/// Nothing on the way there may be a link.
FileDescriptor open_folder(const std::filesystem::path& folder) {
  FileDescriptor opened = open_private_folder(folder, O_RDONLY);
  if (!opened && make_private_folders(folder)) opened = open_private_folder(folder, O_RDONLY);
  return opened;
}

/// A pipe of that name, open on our side. Open for writing, too: a pipe without a writer is at its end, which would
/// wake us for ever. It gets its name once it is open: whoever tells removes a pipe that nobody reads.
FileDescriptor make_pipe(int folder, const std::string& name) {
  struct stat place {};
  const mode_t mode = ::fstat(folder, &place) == 0 && is_shared_with_group(place.st_mode) ? 0660 : 0600;
  const std::string draft = "." + name;  // nobody tells it
  ::unlinkat(folder, draft.c_str(), 0);  // of a process that had our number once
  if (::mkfifoat(folder, draft.c_str(), mode) != 0) return FileDescriptor();
  FileDescriptor pipe(::openat(folder, draft.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat opened {};
  struct stat named {};
  if (pipe && ::fchmod(pipe.get(), mode) == 0 && ::fstat(pipe.get(), &opened) == 0 &&
      ::fstatat(folder, draft.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino &&
      ::renameat(folder, draft.c_str(), folder, name.c_str()) == 0)
    return pipe;
  ::unlinkat(folder, draft.c_str(), 0);
  return FileDescriptor();
}

/// Of a process that is gone, if nobody reads there.
void tell(int folder, const char* name, std::string_view news) {
  const FileDescriptor pipe(::openat(folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!pipe) {
    if (errno == ENXIO) ::unlinkat(folder, name, 0);
    return;
  }
  struct stat found {};
  if (::fstat(pipe.get(), &found) != 0 || !S_ISFIFO(found.st_mode)) return;
  const SigpipeHeldBack whoever_listened_may_go;
  (void)!::write(pipe.get(), news.data(), news.size());  // one that is full was told
}

}  // namespace

Ear::Ear(const std::vector<std::filesystem::path>& folders) : name_(own_name()), places_(folders) {
  FileDescriptor pipe;
  for (const auto& folder : places_) {
    FileDescriptor opened = open_folder(folder);
    if (!opened) return;
    if (folders_.empty()) {
      pipe = make_pipe(opened.get(), name_);
      if (!pipe) return;
    } else {  // the same pipe, found in another folder
      ::unlinkat(opened.get(), name_.c_str(), 0);
      if (::linkat(folders_.front().get(), name_.c_str(), opened.get(), name_.c_str(), 0) != 0) return;
    }
    folders_.push_back(std::move(opened));
  }
  pipe_ = std::move(pipe);
}

Ear::~Ear() {
  for (const auto& folder : folders_) ::unlinkat(folder.get(), name_.c_str(), 0);
}

std::vector<std::filesystem::path> Ear::wait(const std::vector<int>& also, Millis longest) {
  reach_outside("a ring is waited for");
  std::vector<pollfd> ready = {{.fd = fd(), .events = POLLIN, .revents = 0}};
  for (const int one : also) ready.push_back({.fd = one, .events = POLLIN, .revents = 0});
  ::poll(ready.data(), ready.size(), static_cast<int>((can_hear() ? longest : std::min(longest, kDeafLook)).count()));
  return heard();
}

std::vector<std::filesystem::path> Ear::heard() {
  if (!can_hear()) return places_;
  std::string told;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(pipe_.get(), part.data(), part.size())) > 0;)
    if (told.size() < kMuch) told.append(part.data(), static_cast<std::size_t>(got));
  if (told.size() >= kMuch) return places_;
  const auto names = split(told, '\n');
  std::vector<std::filesystem::path> out;
  for (const auto& place : places_)
    if (std::find(names.begin(), names.end(), place.filename().native()) != names.end()) out.push_back(place);
  return out;
}

void tell_ears(const std::string& folder) {
  const FileDescriptor opened = open_private_folder(folder, O_RDONLY);
  if (!opened) return;  // nobody ever waited there
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::fcntl(opened.get(), F_DUPFD_CLOEXEC, 0)), ::closedir);
  if (!entries) return;
  const std::string news = cat(std::string_view(folder).substr(folder.rfind('/') + 1), "\n");
  for (int seen = 0; seen < kMostEars; ++seen) {
    const dirent* entry = ::readdir(entries.get());
    if (!entry) return;
    if (entry->d_name[0] != '.') tell(opened.get(), entry->d_name, news);
  }
}

}  // namespace townpost
