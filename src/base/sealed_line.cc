#include "base/sealed_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/files.h"
#include "base/hex.h"
#include "base/private_files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr int kLooks = 16;  // whoever writes is done in a moment
constexpr std::size_t kSealSize = 16;

std::string seal_of(std::string_view line) { return hex64(digest64(line)); }

bool has_seal(std::string_view text) {
  return text.size() > kSealSize && text[kSealSize] == ' ' &&
         text.substr(0, kSealSize).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The line in `text` if its seal is right. Behind it stands what is left of a longer one.
std::optional<std::string> unsealed(std::string_view text) {
  const auto end = text.find('\n');
  if (!has_seal(text)) return std::string(text.substr(0, end));
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(kSealSize + 1, end - kSealSize - 1);
  if (text.substr(0, kSealSize) != seal_of(line)) return std::nullopt;
  return std::string(line);
}

/// Whether all of it was written over what the file held.
bool write_over(const std::string& path, std::string_view text) {
  const FileDescriptor file = open_private(path, O_WRONLY);
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || found.st_nlink != 1) return false;
  return ::pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace

std::optional<std::string> sealed_line(const std::string& path, std::size_t most) {
  for (int look = 0; look < kLooks; ++look) {
    const auto text = private_text(path, most);
    if (!text) return std::nullopt;
    if (auto line = unsealed(*text)) return line;
  }
  return std::nullopt;
}

Result<> write_sealed_line(const std::string& path, std::string_view line) {
  CHECK(line.find('\n') == std::string_view::npos);
  const auto text = cat(seal_of(line), ' ', line, '\n');
  if (write_over(path, text)) return {};
  return write_file_lightly(path, text);
}

}  // namespace townpost
