#include "base/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr off_t kLargest = 1 << 20;
constexpr std::size_t kLongestEntry = 4096;

// Several processes write one log. Without the lock and the second look, one that decided late would move the file
// that another has just begun, over the full one.
void make_room(const std::filesystem::path& file) {
  struct stat named {};
  if (lstat(file.c_str(), &named) != 0 || named.st_size <= kLargest) return;
  const FileDescriptor opened = open_private(file, O_RDONLY);
  if (!opened || flock(opened.get(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat held {};
  if (fstat(opened.get(), &held) != 0 || lstat(file.c_str(), &named) != 0) return;
  if (held.st_ino != named.st_ino || held.st_dev != named.st_dev || held.st_size <= kLargest) return;
  auto old = file;
  old += ".1";
  std::error_code ignored;
  std::filesystem::rename(file, old, ignored);
}

}  // namespace

void Log::line(std::string_view text) const { (void)write(text); }

Result<> Log::write(std::string_view text) const {
  make_room(file_);
  // Shortened, as one endless entry would fill the disk before the next could move the file away; on one line, as a
  // line break in what an agent wrote would let it forge an entry.
  const auto entry = for_terminal_line(shorten(text, kLongestEntry));
  return append_line(file_, cat(rfc3339(clock_.now()), ' ', entry));
}

}  // namespace townpost
