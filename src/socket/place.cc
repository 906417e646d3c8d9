#include "socket/place.h"

#include <sys/stat.h>

#include "base/text.h"
#include "base/user_folder.h"
#include "post/town/process_notes.h"

namespace townpost {

std::filesystem::path socket_of_town(const std::filesystem::path& town) {
  struct stat known {};
  const auto folder = ProcessNotes::folder_of_user();
  if (folder.empty() || ::stat(town.c_str(), &known) != 0) return {};
  return folder / cat("town-", known.st_dev, "-", known.st_ino);
}

Result<std::filesystem::path> make_place_of_socket(const std::filesystem::path& town) {
  TRY_VOID(make_user_folder());
  const auto place = socket_of_town(town);
  TRY_VOID(make_own_folder(place.parent_path()));
  return place;
}

}  // namespace townpost
