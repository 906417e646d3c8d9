#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace townpost {

/// Who owns an open file descriptor. Closed at the end.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Opens a regular file, and never waits: of a pipe or a device nothing is opened, whoever named it. Links are
/// followed.
FileDescriptor open_to_read(const std::filesystem::path& path);

/// The whole file, if it is a regular one. not_found if there is none; unavailable for any other trouble; usage if it
/// is over `most` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most = 64u << 20);

/// The same for what the caller itself named on its command line: a pipe (`-F <(...)`), too, which is waited for.
Result<std::string> read_file_or_pipe(const std::filesystem::path& path, std::size_t most);

/// The same for a file that open_private() opens: never over a link, and only a regular file.
Result<std::string> read_private_file(const std::filesystem::path& path, std::size_t most = 64u << 20);

/// Everything on descriptor `fd` up to its end. usage if it is over `most` bytes.
Result<std::string> read_all(int fd, std::size_t most);

/// Replaces the file as one step: a reader sees the old or the new text, and after success the new one survives a power
/// loss (temporary file in the same folder, fsync, rename, fsync of the folder). On failure the old file is intact. A
/// file that was there keeps its mode; `mode` is for a new one.
Result<> write_file_durably(const std::filesystem::path& path, std::string_view text, unsigned mode = 0644);

/// Replaces the file as one step but without fsync: for hints whose loss costs nothing. It is private
/// (private_files.h).
Result<> write_file_lightly(const std::filesystem::path& path, std::string_view text);

/// Adds a line to the end of a private file in one write (made if missing, folder too).
Result<> append_line(const std::filesystem::path& path, std::string_view line);

/// Whether somebody, in this process or another, has locked the file (see SessionLock); no if there is none.
bool is_locked(const std::filesystem::path& path);

/// Makes the folder and what is missing above it.
Result<> make_folders(const std::filesystem::path& path);

/// The folder that holds it; "." for a bare name.
std::filesystem::path folder_holding(const std::filesystem::path& path);

/// The last modification in nanoseconds since 1970, or nothing if there is no such file.
std::optional<std::int64_t> modified_ns(const std::filesystem::path& path);
/// When its content or anything else about it was last changed: by the kernel's clock, which nobody can set for a file.
std::optional<Instant> changed_at(const std::filesystem::path& path);

/// The name of a network file system that `path` is on ("nfs", "cifs", …), or nothing.
std::optional<std::string> network_file_system(const std::filesystem::path& path);

/// A folder of its own under the system's temporary folder; removed with all it holds at the end.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// From now on it stays; where it is.
  std::filesystem::path keep() { return std::exchange(path_, {}); }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// "cannot write /x/y: No space left on device", from errno.
Error file_error(std::string_view doing, const std::filesystem::path& path, int error_number);

}  // namespace townpost
