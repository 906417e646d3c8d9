#include "base/user_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/text.h"

namespace townpost {

namespace fs = std::filesystem;

namespace {

/// Whether it is a folder that only this user can write to.
bool is_own(const fs::path& folder) {
  struct stat found {};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid() &&
         (found.st_mode & 0077) == 0;
}

fs::path place() {
  // No variable says where: whoever runs in a session would set it, and be another.
  const fs::path runtime = cat("/run/user/", ::geteuid());
  return is_own(runtime) ? runtime / "townpost" : fs::path(cat("/tmp/townpost-", ::geteuid()));
}

}  // namespace

fs::path user_folder() {
  auto folder = place();
  struct stat found {};
  // Somebody else's folder of that name could say anything of our processes.
  return is_own(folder) || ::lstat(folder.c_str(), &found) != 0 ? folder : fs::path();
}

Result<> make_own_folder(const fs::path& folder) {
  const bool made = ::mkdir(folder.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return fail(file_error("make the folder", folder, errno));
  if (is_own(folder)) return {};
  return fail(Code::forbidden, cat("the folder ", for_terminal_line(folder.string()), " is not yours alone"),
              "remove it, or ask its owner to");
}

Result<fs::path> make_user_folder() {
  auto folder = place();
  TRY_VOID(make_own_folder(folder));
  return folder;
}

}  // namespace townpost
