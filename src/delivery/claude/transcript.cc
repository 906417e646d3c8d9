#include "delivery/claude/transcript.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace {

constexpr off_t kTail = 4 << 20;

std::optional<std::string> tail_of(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) return std::nullopt;
  ::lseek(file.get(), size > kTail ? size - kTail : 0, SEEK_SET);
  auto text = read_all(file.get(), 2 * static_cast<std::size_t>(kTail));
  if (!text) return std::nullopt;
  return std::move(*text);
}

}  // namespace

std::optional<bool> transcript_shows(const std::filesystem::path& transcript, std::string_view id) {
  if (transcript.empty()) return std::nullopt;
  const auto text = tail_of(transcript);
  if (!text) return std::nullopt;
  for (const auto line : split(*text, '\n'))
    // What a hook printed is noted even if the model never got it: that line alone proves nothing.
    if (line.find(id) != std::string_view::npos && line.find("\"hook_success\"") == std::string_view::npos) return true;
  return false;
}

}  // namespace townpost
