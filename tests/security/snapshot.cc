#include "security/snapshot.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

Snapshot snapshot_of(const fs::path& folder) {
  Snapshot out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat found {};
    if (::lstat(entry.path().c_str(), &found) != 0) continue;
    std::string what = cat(found.st_mode, " ");
    if (S_ISREG(found.st_mode)) what += read_file(entry.path()).value_or("(unreadable)");
    if (S_ISLNK(found.st_mode)) what += fs::read_symlink(entry.path()).string();
    out[entry.path().string()] = what;
  }
  return out;
}

std::vector<std::string> changed(const Snapshot& before, const Snapshot& after) {
  std::vector<std::string> out;
  for (const auto& [path, what] : before)
    if (const auto now = after.find(path); now == after.end() || now->second != what) out.push_back(path);
  for (const auto& [path, what] : after)
    if (!before.contains(path)) out.push_back(path);
  return out;
}

}  // namespace townpost
