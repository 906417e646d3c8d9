#include "base/private_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/seclusion.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kGroupToo = 0660;
constexpr mode_t kOwnerOnly = 0600;

/// For a kernel (or a container's filter) without openat2: one step at a time, none of them over a link.
FileDescriptor open_step_by_step(const fs::path& path, int flags, mode_t mode) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  FileDescriptor at(::open(path.is_absolute() ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const auto& step : folder.relative_path()) {
    if (!at) return at;
    if (step.empty() || step == ".") continue;
    at = FileDescriptor(::openat(at.get(), step.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!at && errno == ENOTDIR) errno = ELOOP;  // a link, seen as what it is
  }
  if (!at) return at;
  return FileDescriptor(::openat(at.get(), path.filename().c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
}

FileDescriptor open_without_links(const std::string& path, int flags, mode_t mode) {
  reach_outside("a private file is opened");
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_step_by_step(path, flags, mode);
  return FileDescriptor(static_cast<int>(fd));
}

FileDescriptor open_folder(const fs::path& path) { return open_private_folder(path, O_PATH); }

bool is_shared(int folder) {
  struct stat found {};
  return ::fstat(folder, &found) == 0 && is_shared_with_group(found.st_mode);
}

/// A new file; its mode is set afterwards, because the umask has a say in the first one.
FileDescriptor create(const fs::path& path, int flags) {
  FileDescriptor file = open_without_links(path, flags | O_CREAT | O_EXCL, kOwnerOnly);
  if (!file) return file;
  const FileDescriptor folder = open_folder(folder_holding(path));
  ::fchmod(file.get(), folder && is_shared(folder.get()) ? kGroupToo : kOwnerOnly);
  return file;
}

}  // namespace

FileDescriptor open_private(const std::string& path, int flags) {
  const int plain = (flags & ~(O_CREAT | O_EXCL)) | O_NONBLOCK;  // a pipe in its place would make us wait
  FileDescriptor file = open_without_links(path, plain, 0);
  if (!file && errno == ENOENT && (flags & O_CREAT) != 0) {
    file = create(path, plain);
    if (file || errno != EEXIST) return file;
    file = open_without_links(path, plain, 0);  // somebody else was faster
  }
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || S_ISREG(found.st_mode)) return file;
  errno = EINVAL;
  return FileDescriptor();
}

std::optional<std::string> private_text(const std::string& path, std::size_t most) {
  const FileDescriptor file = open_private(path, O_RDONLY);
  if (!file) return std::nullopt;
  std::string out;
  std::array<char, 2048> part{};
  while (out.size() <= most) {
    const ssize_t got = ::read(file.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    out.append(part.data(), static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < part.size())
      return out.size() <= most ? std::optional(std::move(out)) : std::nullopt;
  }
  return std::nullopt;
}

FileDescriptor open_private_folder(const std::string& path, int flags) {
  return open_without_links(path, flags | O_DIRECTORY, 0);
}

Result<> make_private_folders(const fs::path& path) {
  if (open_folder(path)) return {};
  if (errno != ENOENT || path.filename().empty()) return fail(file_error("make the folder", path, errno));
  TRY_VOID(make_private_folders(folder_holding(path)));
  const FileDescriptor above = open_folder(folder_holding(path));
  if (!above) return fail(file_error("make the folder", path, errno));
  const bool made = ::mkdirat(above.get(), path.filename().c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return fail(file_error("make the folder", path, errno));
  if (made) ::fchmodat(above.get(), path.filename().c_str(), is_shared(above.get()) ? 02770 : 0700, 0);
  return {};
}

void remove_private_file(const fs::path& path) {
  if (const FileDescriptor folder = open_folder(folder_holding(path)))
    ::unlinkat(folder.get(), path.filename().c_str(), 0);
}

bool is_shared_with_group(unsigned mode) { return (mode & S_ISGID) != 0 && (mode & S_IWGRP) != 0; }

Result<> set_privacy(const fs::path& folder, Privacy privacy, std::optional<unsigned> group) {
  reach_outside("files get other modes");
  const mode_t folders = privacy == Privacy::group ? 02770 : 0700;
  const auto give = [&](const fs::path& path) {
    return !group || ::lchown(path.c_str(), static_cast<uid_t>(-1), *group) == 0;
  };
  // The things inside first: the folder's own mode says whether all of it was done.
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    struct stat found {};
    if (::lstat(entry->path().c_str(), &found) != 0) continue;
    give(entry->path());
    if (S_ISDIR(found.st_mode)) ::chmod(entry->path().c_str(), folders);
    if (S_ISREG(found.st_mode)) ::chmod(entry->path().c_str(), privacy == Privacy::group ? kGroupToo : kOwnerOnly);
  }
  if (!give(folder) || ::chmod(folder.c_str(), folders) != 0) return fail(file_error("protect", folder, errno));
  return {};
}

}  // namespace townpost
