#include "delivery/tmux/typed_note.h"

#include "base/files.h"
#include "base/private_files.h"
#include "base/text.h"
#include "delivery/tmux/session_lock.h"

namespace townpost {

TypedNote::TypedNote(const std::filesystem::path& folder, std::string_view name, std::int64_t pid)
    : path_(session_file(folder, name, ".typed")), head_(cat(pid, "\n")) {}

std::optional<std::string> TypedNote::read() const {
  auto all = read_private_file(path_);
  if (!all || !all->starts_with(head_) || all->size() == head_.size()) return std::nullopt;
  return all->substr(head_.size());
}

void TypedNote::write(std::string_view text) const { (void)write_file_lightly(path_, cat(head_, text)); }

void TypedNote::remove() const { remove_private_file(path_); }

}  // namespace townpost
