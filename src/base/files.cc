#include "base/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/private_files.h"
#include "base/random.h"
#include "base/seclusion.h"
#include "base/text.h"

namespace townpost {

namespace {

enum class Sync { durable, light };

/// Zero, or the errno that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

/// Whether less than was asked for means that nothing follows.
enum class Short {
  may_go_on,  ///< a pipe, or one of the files that the kernel makes up
  is_the_end,
};

/// A harness may hand us a standard input that does not block: its end is still to be waited for. A file that has
/// nothing to read yet is one that the kernel makes up, and may never have.
bool is_worth_waiting_for(int fd) {
  struct stat what {};
  return fstat(fd, &what) == 0 && !S_ISREG(what.st_mode);
}

/// Reads to the end, but one byte over `most` at the furthest: enough to know that there is more. Zero or errno.
int read_some(int fd, std::size_t most, Short less, std::string& out) {
  // What a start reads is small and touches no more of the heap than it needs; larger files double each time.
  std::array<char, 2048> small{};
  while (out.size() <= most) {
    const std::size_t have = out.size();
    const bool is_small = have < small.size();
    const std::size_t step = is_small ? small.size() : have;
    const std::size_t want = step <= most - have ? step : most - have + 1;
    if (!is_small) out.resize(have + want);
    const ssize_t got = read(fd, is_small ? small.data() : out.data() + have, want);
    const int error = got < 0 ? errno : 0;
    const std::size_t more = got > 0 ? static_cast<std::size_t>(got) : 0;
    if (is_small)
      out.append(small.data(), more);
    else
      out.resize(have + more);
    if (got == 0 || (got > 0 && less == Short::is_the_end && static_cast<std::size_t>(got) < want)) return 0;
    if (error == EAGAIN && is_worth_waiting_for(fd)) {
      pollfd ready{fd, POLLIN, 0};
      poll(&ready, 1, -1);
    } else if (error != 0 && error != EINTR) {
      return error;
    }
  }
  return 0;
}

/// Names do not collide in practice, and O_EXCL makes sure of it. Zero or errno.
int make_temporary(int folder, unsigned mode, std::string& name, FileDescriptor& file) {
  SystemRandom random;
  while (true) {
    name = cat(".gt-", random_hex(random, 16), ".tmp");
    file = FileDescriptor(openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file) return 0;
    if (errno != EEXIST && errno != EINTR) return errno;
  }
}

/// Puts `name` in the place of `target`. Zero or errno.
int rename_over(int folder, const std::string& name, const std::string& target, Sync sync) {
  // Some file systems (ext4) begin to write out a file that is renamed over another, and whoever renames waits for it.
  // Files that need not survive are exchanged instead, which is just as atomic.
  const auto exchange = [&] { return renameat2(folder, name.c_str(), folder, target.c_str(), RENAME_EXCHANGE) == 0; };
  if (sync == Sync::light && exchange()) {
    if (unlinkat(folder, name.c_str(), 0) == 0) return 0;
    exchange();  // it was a folder, and that is none of ours
  }
  return renameat(folder, name.c_str(), folder, target.c_str()) == 0 ? 0 : errno;
}

/// What was there may be a secret, or readable for others on purpose: its successor is as it was.
void keep_mode(int folder, const std::string& name, const FileDescriptor& successor) {
  struct stat before {};
  if (fstatat(folder, name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(before.st_mode))
    fchmod(successor.get(), before.st_mode & 07777);
}

/// A light write only needs the folder as a place, and so works where it may not be listed.
FileDescriptor open_folder_for(const std::filesystem::path& path, Sync sync) {
  if (sync == Sync::light) return open_private_folder(folder_holding(path), O_PATH);
  return FileDescriptor(open(folder_holding(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Everything is done relative to the opened folder, so what is synced is the folder that was written to.
int replace(const std::filesystem::path& path, std::string_view text, unsigned mode, Sync sync) {
  reach_outside("a file is written");
  const FileDescriptor folder = open_folder_for(path, sync);
  if (!folder) return errno;
  struct stat place {};
  const bool shared = sync == Sync::light && fstat(folder.get(), &place) == 0 && is_shared_with_group(place.st_mode);
  std::string name;
  FileDescriptor file;
  if (const int error = make_temporary(folder.get(), mode, name, file); error != 0) return error;

  if (sync == Sync::durable) keep_mode(folder.get(), path.filename(), file);
  if (shared) fchmod(file.get(), 0660);

  int error = write_all(file.get(), text);
  if (error == 0 && sync == Sync::durable && fsync(file.get()) != 0) error = errno;
  if (error == 0) error = rename_over(folder.get(), name, path.filename(), sync);
  if (error != 0) {
    unlinkat(folder.get(), name.c_str(), 0);
    return error;
  }
  // EINVAL: a file system that keeps its folders safe in another way.
  if (sync == Sync::durable && fsync(folder.get()) != 0 && errno != EINVAL) return errno;
  return 0;
}

Result<> replaced(const std::filesystem::path& path, std::string_view text, unsigned mode, Sync sync) {
  if (const int error = replace(path, text, mode, sync); error != 0) return fail(file_error("write", path, error));
  return {};
}

Failure too_large(std::string_view what, std::size_t most) {
  return fail(Code::usage, cat(what, " is over ", most, " bytes"), "make it shorter");
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

namespace {

Result<std::string> read_opened(const FileDescriptor& file, const std::filesystem::path& path, std::size_t most,
                                Short less = Short::may_go_on) {
  std::string text;
  const int error = file ? read_some(file.get(), most, less, text) : errno;
  if (error == ENOENT || error == ENOTDIR) {
    return fail(Code::not_found, cat("there is no file ", for_terminal_line(path.native())), "check the path");
  }
  if (error != 0) return fail(file_error("read", path, error));
  if (text.size() > most) return too_large(for_terminal_line(path.native()), most);
  return text;
}

}  // namespace

FileDescriptor open_to_read(const std::filesystem::path& path) {
  reach_outside("a file is opened");
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat what {};
  if (!file || (fstat(file.get(), &what) == 0 && S_ISREG(what.st_mode))) return file;
  errno = S_ISDIR(what.st_mode) ? EISDIR : EINVAL;
  return FileDescriptor();
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  return read_opened(open_to_read(path), path, most);
}

Result<std::string> read_file_or_pipe(const std::filesystem::path& path, std::size_t most) {
  reach_outside("a file is opened");
  return read_opened(FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path, most);
}

Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t most) {
  return read_opened(open_private(path, O_RDONLY), path, most, Short::is_the_end);
}

Result<std::string> read_all(int fd, std::size_t most) {
  reach_outside("the input is read");
  std::string text;
  if (const int error = read_some(fd, most, Short::may_go_on, text); error != 0)
    return fail(file_error("read", "the input", error));
  if (text.size() > most) return too_large("the input", most);
  return text;
}

Result<> write_file_durably(const std::filesystem::path& path, std::string_view text, unsigned mode) {
  return replaced(path, text, mode, Sync::durable);
}

Result<> write_file_lightly(const std::filesystem::path& path, std::string_view text) {
  return replaced(path, text, 0600, Sync::light);
}

Result<> append_line(const std::filesystem::path& path, std::string_view line) {
  FileDescriptor file = open_private(path, O_WRONLY | O_APPEND | O_CREAT);
  if (!file && errno == ENOENT) {
    TRY_VOID(make_private_folders(folder_holding(path)));
    file = open_private(path, O_WRONLY | O_APPEND | O_CREAT);
  }
  if (!file) return fail(file_error("write", path, errno));
  // One write, so that lines of several processes never mix; a second one follows only where the disk is full.
  if (const int error = write_all(file.get(), cat(line, '\n')); error != 0)
    return fail(file_error("write", path, error));
  return {};
}

bool is_locked(const std::filesystem::path& path) {
  const FileDescriptor file = open_private(path, O_RDWR);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return file && fcntl(file.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

std::filesystem::path folder_holding(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

Result<> make_folders(const std::filesystem::path& path) {
  reach_outside("a folder is made");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return fail(file_error("make the folder", path, error.value()));
  return {};
}

std::optional<std::int64_t> modified_ns(const std::filesystem::path& path) {
  reach_outside("a file is looked at");
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
}

std::optional<Instant> changed_at(const std::filesystem::path& path) {
  reach_outside("a file is looked at");
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return Instant{std::int64_t{found.st_ctim.tv_sec} * 1000 + found.st_ctim.tv_nsec / 1'000'000};
}

std::optional<std::string> network_file_system(const std::filesystem::path& path) {
  reach_outside("a file system is looked at");
  // What does not exist yet will be on the file system of the nearest folder above it that does.
  auto place = path.empty() ? std::filesystem::path(".") : path;
  struct statfs found {};
  while (statfs(place.c_str(), &found) != 0) {
    const auto above = folder_holding(place);
    if ((errno != ENOENT && errno != ENOTDIR) || above == place) return std::nullopt;
    place = above;
  }
  // The kernel's numbers, of which some are in no header. FUSE is not among them: it says nothing about what is behind.
  switch (static_cast<std::uint32_t>(found.f_type)) {
    case 0x6969:
      return "nfs";
    case 0x517B:
      return "smb";
    case 0xFF534D42:
      return "cifs";
    case 0xFE534D42:
      return "smb2";
    case 0x01021997:
      return "9p";
    case 0x5346414F:
    case 0x6B414653:
      return "afs";
    case 0x00C36400:
      return "ceph";
    default:
      return std::nullopt;
  }
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
  reach_outside("a folder is made");
  std::error_code error;
  const auto above = std::filesystem::temp_directory_path(error);
  if (error) return fail(file_error("use the temporary folder", above, error.value()));
  std::string name = (above / cat(prefix, "XXXXXX")).native();
  if (mkdtemp(name.data()) == nullptr) return fail(file_error("make the folder", name, errno));
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Error file_error(std::string_view doing, const std::filesystem::path& path, int error_number) {
  const char* reason = strerrordesc_np(error_number);  // unlike strerror: safe in threads, the same in every locale
  std::string hint;
  if (error_number == ELOOP) {  // the system's words speak of too many links: here one is too many
    reason = "there is a link in the way";
    hint = "remove the link";
  }
  if (error_number == ENOSPC || error_number == EDQUOT) hint = "free some space and try again";
  if (error_number == EROFS || error_number == EACCES || error_number == EPERM)
    hint = "check the permissions of the folder";
  return {Code::unavailable,
          cat("cannot ", doing, ' ', for_terminal_line(path.native()), ": ",
              reason != nullptr ? std::string(reason) : cat("error ", error_number)),
          hint, std::nullopt};
}

}  // namespace townpost
